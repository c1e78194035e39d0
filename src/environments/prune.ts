import { basename, dirname, join } from "node:path";
import { reasonOf } from "../errors.ts";
import {
  type CacheContents,
  type CachedEnvironment,
  EMPTY,
  listCache,
} from "./cache.ts";
import { STALE_MS } from "./drafts.ts";
import { unsealEnvironment } from "./environment.ts";
import { foldersOf } from "./wanted_environment.ts";
import {
  exists,
  lockFile,
  maybeClaimCache,
  maybeLock,
  USED,
} from "./file_locks.ts";

/** Time after which `cache prune` removes an unused environment. */
export const UNUSED_MS: number = 30 * 24 * 60 * 60 * 1000;

const INSTALLING = "an install may be going on";

export interface Removed {
  removed: { path: string; bytes: number }[];
  /** Paths that stay, as they are in use or needed. */
  kept: { path: string; why: string }[];
  failed: { path: string; why: string }[];
  /** Paths that this program did not make, and did not touch. */
  foreign: string[];
  /** Bytes freed. */
  bytes: number;
}

/** The entries that go: by their ages, in ms, and all of them if there is no age. */
interface Rules {
  /** For environments. */
  unusedMs?: number;
  /** For drafts, and wheels of no environment. */
  looseMs?: number;
  now?: number;
  /** A cache that requests of this one may use, too. */
  otherCacheDir?: string | undefined;
  /** Tells why a whole environment must stay; undefined if it may go. */
  needOf?: ((id: string) => string | undefined) | undefined;
  /** Chooses the entries that may go at all. */
  choose?(contents: CacheContents): CacheContents;
}

/**
 * Removes damaged environments, those that were not used for long, and files
 * that no environment needs. Installs and servers may run meanwhile.
 *
 * @param options.now Time to measure ages by, in ms since the epoch.
 * @throws {Error} If the cache cannot be read or written.
 */
export function pruneCache(
  cacheDir: string,
  { olderThanMs: unusedMs = UNUSED_MS, ...options }:
    & { olderThanMs?: number | undefined }
    & Pick<Rules, "now" | "otherCacheDir" | "needOf"> = {},
): Promise<Removed> {
  return removeFrom(cacheDir, { ...options, unusedMs, looseMs: STALE_MS });
}

/** Removes everything that this program made and that is not in use or needed; throws as `pruneCache()`. */
export function cleanCache(
  cacheDir: string,
  options: Pick<Rules, "needOf"> = {},
): Promise<Removed> {
  return removeFrom(cacheDir, options);
}

/** Removes environments and their requests, and leaves their wheels to `pruneCache()`; throws as that does. */
export function removeEnvironments(
  cacheDir: string,
  ids: readonly string[],
  options: Pick<Rules, "needOf"> = {},
): Promise<Removed> {
  return removeFrom(cacheDir, {
    ...options,
    choose({ environments, requests, locks }) {
      const its = requests.filter(({ id = "" }) => ids.includes(id));
      const locked = [...ids, ...its.map(({ path }) => basename(path))];
      return {
        ...EMPTY,
        environments: environments.filter(({ id }) => ids.includes(id)),
        requests: its,
        locks: locks.filter((id) => locked.includes(id)),
      };
    },
  });
}

async function removeFrom(
  cacheDir: string,
  { unusedMs = -Infinity, looseMs = -Infinity, ...rules }: Rules,
): Promise<Removed> {
  const { now = Date.now(), otherCacheDir, choose = (all) => all } = rules;
  // A folder without entries of this program does not even get a lock.
  const before = await listCache(cacheDir);
  const isEmpty = before.bytes === 0 &&
    [...before.locks, ...before.notes, ...before.requests].length === 0;
  using claim = isEmpty ? undefined : maybeClaimCache(cacheDir);
  /** Whether no install is going on. */
  const isQuiet = claim !== undefined;
  const contents = choose(isEmpty ? before : await listCache(cacheDir));
  const { drafts, requests, wheels, notes, locks, foreign } = contents;
  const result: Removed = {
    removed: [],
    kept: [],
    failed: [],
    foreign,
    bytes: 0,
  };

  const left: CachedEnvironment[] = [];
  for (const environment of contents.environments) {
    if (!await maybeRemove(environment)) left.push(environment);
  }
  for (const draft of drafts) {
    // A draft that is being written is young.
    if (isOlder(draft.lastUsed, isQuiet ? looseMs : STALE_MS)) {
      await remove(draft);
    } else keep(draft.path, INSTALLING);
  }
  for (const component of contents.components) {
    if (isOlder(component.lastUsed, unusedMs)) await remove(component);
  }
  const ids = left.map(({ id }) => id);
  for (const { path, id } of requests) {
    const caches = { cacheDir, otherCacheDir };
    const folders = id === undefined ? [] : foldersOf(caches, id);
    if (folders.some(exists)) ids.push(basename(path));
    else await remove({ path });
  }
  const packages = left.flatMap(({ contents }) => contents?.packages ?? []);
  const needed = new Set(packages.map(({ sha256 }) => sha256));
  const stay = new Set<string>();
  for (const wheel of wheels) {
    const isLoose = !needed.has(wheel.sha256) &&
      isOlder(wheel.lastUsed, looseMs);
    if (isLoose && !isQuiet) keep(wheel.path, INSTALLING);
    if (!isLoose || !isQuiet || !await remove(wheel)) stay.add(wheel.sha256);
  }
  if (!isQuiet) return result;
  // Notes on wheels that are not there, and the folders of both.
  for (const { path, sha256 } of notes) {
    if (!stay.has(sha256)) await remove({ path });
  }
  for (const { path, sha256 } of [...wheels, ...notes]) {
    if (stay.has(sha256)) continue;
    // A folder that has another file stays.
    await Deno.remove(dirname(path)).catch(() => {});
  }
  for (const id of locks) {
    if (!ids.includes(id)) await remove({ path: lockFile(cacheDir, id) });
  }
  return result;

  /** Removes an environment that is damaged or old, and not in use. */
  async function maybeRemove(environment: CachedEnvironment): Promise<boolean> {
    const { id, path, contents, lastUsed } = environment;
    if (contents && !isOlder(lastUsed, unusedMs)) return false;
    const need = contents && rules.needOf?.(id);
    if (need !== undefined) return keep(path, need);
    using lock = maybeLock(lockFile(cacheDir, id));
    // Other environments are made from the environment without packages.
    const isBase = !isQuiet && contents?.packages.length === 0;
    if (!lock || isBase) return keep(path, INSTALLING);
    {
      using own = maybeLock(join(path, USED));
      if (!own) return keep(path, "in use");
      try {
        // A process that opens it now finds none, and installs it.
        await unsealEnvironment(path);
      } catch (error) {
        return fail(path, error);
      }
    }
    return await remove(environment);
  }

  function isOlder(time: Date, ms: number): boolean {
    return now - time.getTime() > ms;
  }

  async function remove(
    { path, bytes = 0 }: { path: string; bytes?: number },
  ): Promise<boolean> {
    try {
      await Deno.remove(path, { recursive: true });
    } catch (error) {
      // Another process may have removed it meanwhile.
      if (error instanceof Deno.errors.NotFound) return true;
      return fail(path, error);
    }
    result.removed.push({ path, bytes });
    result.bytes += bytes;
    return true;
  }

  function keep(path: string, why: string): false {
    result.kept.push({ path, why });
    return false;
  }

  function fail(path: string, error: unknown): false {
    result.failed.push({ path, why: reasonOf(error) });
    return false;
  }
}
