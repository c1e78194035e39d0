import { join } from "node:path";
import { DRAFT, WHEEL_DRAFT } from "./drafts.ts";
import {
  ENTRIES,
  type Environment,
  ID,
  maybeOpenEnvironment,
  USED,
} from "./environment.ts";
import { CACHE_LOCK, isInUse } from "./file_locks.ts";
import { NOTE } from "./origins.ts";

/** An environment in the cache. */
export interface CachedEnvironment {
  /** Name of its folder. */
  id: string;
  path: string;
  /** Its manifest; undefined if the environment is damaged. */
  contents: Environment | undefined;
  bytes: number;
  lastUsed: Date;
  /** Whether a running process uses it. */
  inUse: boolean;
}

/** A file of a wheel in the cache, by its hash. */
export interface CachedWheel {
  file: string;
  path: string;
  sha256: string;
  bytes: number;
  lastUsed: Date;
  /** The number of environments that have it. */
  usedBy: number;
}

/** A note on the source of a wheel. */
export interface CachedNote {
  path: string;
  /** Hash of the wheel. */
  sha256: string;
}

/** A temporary entry of the cache. */
export interface CachedDraft {
  path: string;
  bytes: number;
  lastUsed: Date;
}

/** The contents of a cache folder. */
export interface CacheContents {
  environments: CachedEnvironment[];
  wheels: CachedWheel[];
  notes: CachedNote[];
  /** Entries that an install is writing now, or was writing when it was killed. */
  drafts: CachedDraft[];
  /** Lock files of environments, by their ids. */
  locks: string[];
  /** Paths that this program did not make. */
  foreign: string[];
  /** Size of everything that this program made. */
  bytes: number;
}

/** Names in the folder of wheels. */
const HASH = /^[0-9a-f]{64}$/;
const WHEEL = /^[\w.+!-]+\.(whl|zip|tar\.\w+)$/;

/**
 * Lists the contents of a cache folder; never follows a symbolic link.
 *
 * @throws {Error} If the folder cannot be read.
 */
export async function listCache(cacheDir: string): Promise<CacheContents> {
  const contents: CacheContents = {
    environments: [],
    wheels: [],
    notes: [],
    drafts: [],
    locks: [],
    foreign: [],
    bytes: 0,
  };
  for (const { name, path, isDirectory } of await entriesOf(cacheDir)) {
    const list = isDirectory ? LISTS[name] : undefined;
    if (list) await list(path, contents);
    else contents.foreign.push(path);
  }
  countUses(contents);
  const { environments, wheels, drafts } = contents;
  contents.bytes = [...environments, ...wheels, ...drafts]
    .reduce((sum, { bytes }) => sum + bytes, 0);
  return contents;
}

/** The folders that this program makes, and how each is listed. */
const LISTS: Record<
  string,
  (folder: string, contents: CacheContents) => Promise<void>
> = {
  environments: listEnvironments,
  wheels: listWheels,
  locks: listLocks,
};

async function listEnvironments(
  folder: string,
  { environments, drafts, foreign }: CacheContents,
): Promise<void> {
  for (const { name, path, isDirectory } of await entriesOf(folder)) {
    if (isDirectory && DRAFT.test(name)) drafts.push(await toDraft(path));
    else if (isDirectory && ID.test(name) && await isOurs(path)) {
      environments.push({
        id: name,
        path,
        contents: maybeOpen(path),
        bytes: await sizeOf(path),
        lastUsed: await timeOf(join(path, USED)) ?? await timeOf(path) ??
          new Date(),
        inUse: isInUse(path),
      });
    } else foreign.push(path);
  }
}

async function listWheels(
  folder: string,
  { wheels, notes, drafts, foreign }: CacheContents,
): Promise<void> {
  for (const { name, path, isDirectory, isFile } of await entriesOf(folder)) {
    if (isFile && WHEEL_DRAFT.test(name)) drafts.push(await toDraft(path));
    else if (isDirectory && HASH.test(name)) {
      for (const inner of await entriesOf(path)) {
        if (inner.isFile && WHEEL.test(inner.name)) {
          wheels.push({
            ...await toDraft(inner.path),
            file: inner.name,
            sha256: name,
            usedBy: 0,
          });
        } else if (inner.isFile && NOTE.test(inner.name)) {
          notes.push({ path: inner.path, sha256: name });
        } else foreign.push(inner.path);
      }
    } else foreign.push(path);
  }
}

async function listLocks(
  folder: string,
  { locks, foreign }: CacheContents,
): Promise<void> {
  for (const { name, path, isFile } of await entriesOf(folder)) {
    if (isFile && ID.test(name)) locks.push(name);
    else if (!isFile || name !== CACHE_LOCK) foreign.push(path);
  }
}

/** Whether this program made an environment: a damaged one may lack files, but has no others. */
async function isOurs(folder: string): Promise<boolean> {
  const entries = await entriesOf(folder);
  return entries.every(({ name }) => ENTRIES.includes(name));
}

function maybeOpen(folder: string): Environment | undefined {
  try {
    return maybeOpenEnvironment(folder);
  } catch {
    // An environment that cannot be opened is damaged.
    return undefined;
  }
}

function countUses({ environments, wheels }: CacheContents): void {
  const uses = environments.flatMap(({ contents }) => [
    ...new Set(contents?.packages.map(({ sha256 }) => sha256)),
  ]);
  for (const wheel of wheels) {
    wheel.usedBy = uses.filter((sha256) => sha256 === wheel.sha256).length;
  }
}

async function toDraft(path: string): Promise<CachedDraft> {
  const lastUsed = await timeOf(path) ?? new Date();
  return { path, bytes: await sizeOf(path), lastUsed };
}

/** Size of a file, or of all files below a folder. */
async function sizeOf(path: string): Promise<number> {
  const info = await maybe(Deno.lstat(path));
  if (!info?.isDirectory) return info?.size ?? 0;
  const sizes = (await entriesOf(path)).map((entry) => sizeOf(entry.path));
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function timeOf(path: string): Promise<Date | undefined> {
  return (await maybe(Deno.lstat(path)))?.mtime ?? undefined;
}

interface Entry extends Deno.DirEntry {
  path: string;
}

/** Entries of a folder by name; a folder that is not there has none. */
async function entriesOf(folder: string): Promise<Entry[]> {
  const entries = await maybe(Array.fromAsync(Deno.readDir(folder)));
  return (entries ?? [])
    .map((entry) => ({ ...entry, path: join(folder, entry.name) }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}

/** The result of work on a path; undefined if another process has just removed the path. */
async function maybe<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
