import { basename, dirname, join } from "node:path";
import { reasonOf } from "../errors.ts";
import {
  type CacheContents,
  type CachedEnvironment,
  type CachedWheel,
  EMPTY,
  listCache,
} from "./cache.ts";
import { STALE_MS } from "./drafts.ts";
import { unsealEnvironment } from "./environment.ts";
import { foldersOf } from "./wanted_environment.ts";
import {
  exists,
  locksFolder,
  maybeClaimCache,
  maybeLockEnvironment,
  maybeTakeEnvironment,
} from "./file_locks.ts";

/** Time after which `cache prune` removes an unused environment. */
export const UNUSED_MS: number = 30 * 24 * 60 * 60 * 1000;

const INSTALLING = "an install may be going on";

export interface Removed {
  removed: { path: string; bytes: number }[];
  /** Paths that stay as they are in use. */
  kept: { path: string; why: string }[];
  failed: { path: string; why: string }[];
  /** Paths that this program did not make, and did not touch. */
  foreign: string[];
  /** Bytes freed. */
  bytes: number;
}

/** The ages from which entries are removed. */
interface Rules {
  /** For environments. */
  unusedMs: number;
  /** For drafts, and wheels of no environment. */
  looseMs: number;
  now: number;
  /** Environments of this cache, too, are those of requests. */
  otherCacheDir?: string | undefined;
}

const ALWAYS = { unusedMs: -Infinity, looseMs: -Infinity };

/**
 * Removes damaged environments, those that were not used for long, and files
 * that no environment needs. Installs and servers may run meanwhile.
 *
 * @param options.now Time to measure ages by, in ms since the epoch.
 * @param options.otherCacheDir A cache that requests of this one may use, too.
 * @throws {Error} If the cache cannot be read or written.
 */
export function pruneCache(
  cacheDir: string,
  { olderThanMs: unusedMs = UNUSED_MS, now = Date.now(), otherCacheDir }: {
    olderThanMs?: number | undefined;
    now?: number;
    otherCacheDir?: string | undefined;
  } = {},
): Promise<Removed> {
  const looseMs = STALE_MS;
  return removeFrom(cacheDir, { unusedMs, looseMs, now, otherCacheDir });
}

/** Removes everything that this program made and that is not in use; throws as `pruneCache()`. */
export function cleanCache(cacheDir: string): Promise<Removed> {
  return removeFrom(cacheDir, { ...ALWAYS, now: Date.now() });
}

/** Removes environments and their requests, and leaves their wheels to `pruneCache()`; throws as that does. */
export function removeEnvironments(
  cacheDir: string,
  ids: readonly string[],
): Promise<Removed> {
  const rules = { ...ALWAYS, now: Date.now() };
  return removeFrom(cacheDir, rules, ({ environments, requests, locks }) => {
    const its = requests.filter(({ id = "" }) => ids.includes(id));
    const locked = [...ids, ...its.map(({ path }) => basename(path))];
    return {
      ...EMPTY,
      environments: environments.filter(({ id }) => ids.includes(id)),
      requests: its,
      locks: locks.filter((id) => locked.includes(id)),
    };
  });
}

async function removeFrom(
  cacheDir: string,
  rules: Rules,
  choose = (contents: CacheContents) => contents,
): Promise<Removed> {
  // A folder without entries of this program does not even get a lock.
  const before = await listCache(cacheDir);
  const isEmpty = before.bytes === 0 &&
    [...before.locks, ...before.notes, ...before.requests].length === 0;
  using claim = isEmpty ? undefined : maybeClaimCache(cacheDir);
  const isQuiet = claim !== undefined;
  const removal = new Removal({ ...rules, cacheDir, isQuiet });
  const contents = isEmpty ? before : await listCache(cacheDir);
  return await removal.perform(choose(contents));
}

class Removal implements Removed {
  removed: Removed["removed"] = [];
  kept: Removed["kept"] = [];
  failed: Removed["failed"] = [];
  foreign: string[] = [];
  bytes = 0;
  #rules: Rules & { cacheDir: string; isQuiet: boolean };

  /** @param rules With `isQuiet` if no install is going on. */
  constructor(rules: Rules & { cacheDir: string; isQuiet: boolean }) {
    this.#rules = rules;
  }

  async perform(contents: CacheContents): Promise<this> {
    this.foreign = contents.foreign;
    const left: CachedEnvironment[] = [];
    for (const environment of contents.environments) {
      const isGone = await this.#maybeRemoveEnvironment(environment);
      if (!isGone) left.push(environment);
    }
    for (const draft of contents.drafts) {
      // A draft that is being written is young.
      const age = this.#rules.isQuiet ? this.#rules.looseMs : STALE_MS;
      if (this.#isOlder(draft.lastUsed, age)) await this.#remove(draft);
      else this.#keep(draft.path, INSTALLING);
    }
    const ids = left.map(({ id }) => id);
    for (const { path, id } of contents.requests) {
      const folders = id === undefined ? [] : foldersOf(this.#rules, id);
      if (folders.some(exists)) ids.push(basename(path));
      else await this.#remove({ path });
    }
    const lost = await this.#removeWheels(contents.wheels, left);
    if (this.#rules.isQuiet) await this.#removeNotes(contents, lost);
    for (const id of this.#rules.isQuiet ? contents.locks : []) {
      if (ids.includes(id)) continue;
      await this.#remove({ path: join(locksFolder(this.#rules.cacheDir), id) });
    }
    return this;
  }

  async #maybeRemoveEnvironment(
    environment: CachedEnvironment,
  ): Promise<boolean> {
    const { id, path, contents, lastUsed } = environment;
    if (contents && !this.#isOlder(lastUsed, this.#rules.unusedMs)) {
      return false;
    }
    using lock = maybeLockEnvironment(this.#rules.cacheDir, id);
    // Other environments are made from the environment without packages.
    const isBase = !this.#rules.isQuiet && contents?.packages.length === 0;
    if (!lock || isBase) return this.#keep(path, INSTALLING);
    {
      using own = maybeTakeEnvironment(path);
      if (!own) return this.#keep(path, "in use");
      try {
        // A process that opens it now finds none, and installs it.
        await unsealEnvironment(path);
      } catch (error) {
        return this.#fail(path, error);
      }
    }
    return await this.#remove(environment);
  }

  /** Removes loose wheels, and returns them. */
  async #removeWheels(
    wheels: CachedWheel[],
    left: CachedEnvironment[],
  ): Promise<CachedWheel[]> {
    const lost: CachedWheel[] = [];
    const packages = left.flatMap(({ contents }) => contents?.packages ?? []);
    const needed = new Set(packages.map(({ sha256 }) => sha256));
    for (const wheel of wheels) {
      if (needed.has(wheel.sha256)) continue;
      if (!this.#isOlder(wheel.lastUsed, this.#rules.looseMs)) continue;
      if (!this.#rules.isQuiet) this.#keep(wheel.path, INSTALLING);
      else if (await this.#remove(wheel)) lost.push(wheel);
    }
    return lost;
  }

  /** Removes notes on missing wheels, and empty folders. */
  async #removeNotes(
    { wheels, notes }: CacheContents,
    lost: CachedWheel[],
  ): Promise<void> {
    const stays = wheels.filter((wheel) => !lost.includes(wheel));
    const left = new Set(stays.map(({ sha256 }) => sha256));
    const loose = notes.filter(({ sha256 }) => !left.has(sha256));
    for (const { path } of loose) await this.#remove({ path });
    const emptied = [...lost, ...loose].map(({ path }) => dirname(path));
    // A folder that has another file stays.
    for (const folder of emptied) await Deno.remove(folder).catch(() => {});
  }

  #isOlder(time: Date, ms: number): boolean {
    return this.#rules.now - time.getTime() > ms;
  }

  async #remove(
    { path, bytes = 0 }: { path: string; bytes?: number },
  ): Promise<boolean> {
    try {
      await Deno.remove(path, { recursive: true });
    } catch (error) {
      // Another process may have removed it meanwhile.
      if (error instanceof Deno.errors.NotFound) return true;
      return this.#fail(path, error);
    }
    this.removed.push({ path, bytes });
    this.bytes += bytes;
    return true;
  }

  #keep(path: string, why: string): false {
    this.kept.push({ path, why });
    return false;
  }

  #fail(path: string, error: unknown): false {
    this.failed.push({ path, why: reasonOf(error) });
    return false;
  }
}
