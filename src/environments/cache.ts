import { dirname, join } from "node:path";
import { maybe } from "../errors.ts";
import { DRAFT, WHEEL_DRAFT } from "./drafts.ts";
import { ignoreAbsent } from "../disk.ts";
import {
  ENTRIES,
  type Environment,
  ID,
  maybeOpenEnvironment,
} from "./environment.ts";
import { CACHE_LOCK, isInUse, USED } from "./file_locks.ts";
import { NOTE } from "./origins.ts";
import { maybeResolved } from "./wanted_environment.ts";

/** An entry that an install is writing now, or was writing when it was killed. */
export interface CachedDraft {
  path: string;
  bytes: number;
  lastUsed: Date;
}

export interface CachedEnvironment extends CachedDraft {
  id: string;
  /** Undefined if the environment is damaged. */
  contents: Environment | undefined;
  inUse: boolean;
}

export interface CachedWheel extends CachedDraft {
  file: string;
  sha256: string;
  /** The number of environments that have it. */
  usedBy: number;
}

export interface CacheContents {
  environments: CachedEnvironment[];
  wheels: CachedWheel[];
  /** Notes on the sources of wheels, by the hash of the wheel. */
  notes: { path: string; sha256: string }[];
  drafts: CachedDraft[];
  /** Lock files of environments and requests, by their ids. */
  locks: string[];
  /** Notes of the environments of requests; without an id if malformed. */
  requests: { path: string; id: string | undefined }[];
  /** Paths that this program did not make. */
  foreign: string[];
  bytes: number;
}

export const EMPTY: CacheContents = {
  environments: [],
  wheels: [],
  notes: [],
  drafts: [],
  locks: [],
  requests: [],
  foreign: [],
  bytes: 0,
};

const HASH = /^[0-9a-f]{64}$/;
const WHEEL = /^[\w.+!-]+\.(whl|zip|tar\.\w+)$/;

/** Lists a cache folder; throws if it cannot be read, and follows no symbolic link. */
export async function listCache(cacheDir: string): Promise<CacheContents> {
  const contents = structuredClone(EMPTY);
  for (const { name, path, isDirectory } of await entriesOf(cacheDir)) {
    const list = isDirectory ? LISTS[name] : undefined;
    if (list) await list(path, contents);
    else contents.foreign.push(path);
  }
  const { environments, wheels, drafts } = contents;
  countUses(contents);
  const ours = [...environments, ...wheels, ...drafts];
  contents.bytes = sumOf(ours.map(({ bytes }) => bytes));
  return contents;
}

const LISTS: Record<string, typeof listEnvironments> = {
  environments: listEnvironments,
  wheels: listWheels,
  locks: listLocks,
  requests: listRequests,
};

async function listEnvironments(
  folder: string,
  { environments, drafts, foreign }: CacheContents,
): Promise<void> {
  for (const { name, path, isDirectory } of await entriesOf(folder)) {
    if (isDirectory && DRAFT.test(name)) drafts.push(await toDraft(path));
    else if (isDirectory && ID.test(name) && await isOurs(path)) {
      const entry = await toDraft(path);
      environments.push({
        ...entry,
        id: name,
        contents: maybe(() => maybeOpenEnvironment(path)),
        lastUsed: await timeOf(join(path, USED)) ?? entry.lastUsed,
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
      const sha256 = name;
      for (const inner of await entriesOf(path)) {
        if (inner.isFile && WHEEL.test(inner.name)) {
          const entry = await toDraft(inner.path);
          wheels.push({ ...entry, file: inner.name, sha256, usedBy: 0 });
        } else if (inner.isFile && NOTE.test(inner.name)) {
          notes.push({ path: inner.path, sha256 });
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

async function listRequests(
  folder: string,
  { requests, drafts, foreign }: CacheContents,
): Promise<void> {
  for (const { name, path, isFile } of await entriesOf(folder)) {
    if (isFile && DRAFT.test(name)) drafts.push(await toDraft(path));
    else if (isFile && ID.test(name)) {
      requests.push({ path, id: maybeResolved(dirname(folder), name) });
    } else foreign.push(path);
  }
}

/** Whether this program made an environment: a damaged one may lack files, but has no others. */
async function isOurs(folder: string): Promise<boolean> {
  const entries = await entriesOf(folder);
  return entries.every(({ name }) => ENTRIES.includes(name));
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

/** Bytes of a file, or of the files below a folder; 0 if it is not there. */
export async function sizeOf(path: string): Promise<number> {
  const info = await Deno.lstat(path).catch(ignoreAbsent);
  if (!info?.isDirectory) return info?.size ?? 0;
  const sizes = (await entriesOf(path)).map(({ path }) => sizeOf(path));
  return sumOf(await Promise.all(sizes));
}

function sumOf(sizes: number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function timeOf(path: string): Promise<Date | null | undefined> {
  return (await Deno.lstat(path).catch(ignoreAbsent))?.mtime;
}

/** Entries of a folder by name; empty if another process has just removed the folder. */
async function entriesOf(
  folder: string,
): Promise<(Deno.DirEntry & { path: string })[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder))
    .catch(ignoreAbsent) ?? [];
  return entries
    .map((entry) => ({ ...entry, path: join(folder, entry.name) }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}
