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
  /** Translations of components; one that is removed is made again. */
  components: CachedDraft[];
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
  components: [],
  locks: [],
  requests: [],
  foreign: [],
  bytes: 0,
};

const HASH = /^[0-9a-f]{64}$/;
/** A component's folder: hash of its file, and format. */
const SLOT = /^[0-9a-f]{64}-\d+$/;
const WHEEL = /^[\w.+!-]+\.(whl|zip|tar\.\w+)$/;

/** Lists a cache folder; throws if it cannot be read, and follows no symbolic link. */
export async function listCache(cacheDir: string): Promise<CacheContents> {
  const contents = structuredClone(EMPTY);
  for (const { name, path, isDirectory } of await entriesOf(cacheDir)) {
    const take = isDirectory ? FOLDERS[name] : undefined;
    await (take ? takeEach(path, contents, take) : contents.foreign.push(path));
  }
  const { environments, wheels, drafts, components } = contents;
  countUses(contents);
  const ours = [...environments, ...wheels, ...drafts, ...components];
  contents.bytes = sumOf(ours.map(({ bytes }) => bytes));
  return contents;
}

type Entry = Deno.DirEntry & { path: string };

/** Lists an entry of a folder; false if this program did not make it. */
type Take = (entry: Entry, contents: CacheContents) => unknown;

const FOLDERS: Record<string, Take> = {
  async environments({ name, path, isDirectory }, { environments, drafts }) {
    if (!isDirectory) return false;
    if (DRAFT.test(name)) return drafts.push(await toDraft(path));
    if (!ID.test(name) || !await isOurs(path)) return false;
    const entry = await toDraft(path);
    return environments.push({
      ...entry,
      id: name,
      contents: maybe(() => maybeOpenEnvironment(path)),
      lastUsed: await timeOf(join(path, USED)) ?? entry.lastUsed,
      inUse: isInUse(path),
    });
  },
  async wheels({ name: sha256, path, isDirectory, isFile }, contents) {
    const isDraft = isFile && WHEEL_DRAFT.test(sha256);
    if (isDraft) return contents.drafts.push(await toDraft(path));
    if (!isDirectory || !HASH.test(sha256)) return false;
    await takeEach(path, contents, async (inner, { wheels, notes }) => {
      const { name: file, path } = inner;
      if (!inner.isFile) return false;
      if (WHEEL.test(file)) {
        const entry = await toDraft(path);
        return wheels.push({ ...entry, file, sha256, usedBy: 0 });
      }
      return NOTE.test(file) && notes.push({ path, sha256 });
    });
  },
  components: async ({ name, path, isDirectory }, { components }) =>
    isDirectory && SLOT.test(name) && components.push(await toDraft(path)),
  locks: ({ name, isFile }, { locks }) =>
    isFile && (name === CACHE_LOCK || ID.test(name) && locks.push(name)),
  async requests({ name, path, isFile }, { requests, drafts }) {
    if (!isFile) return false;
    if (DRAFT.test(name)) return drafts.push(await toDraft(path));
    const id = () => maybeResolved(dirname(dirname(path)), name);
    return ID.test(name) && requests.push({ path, id: id() });
  },
};

async function takeEach(
  folder: string,
  contents: CacheContents,
  take: Take,
): Promise<void> {
  for (const entry of await entriesOf(folder)) {
    const isOther = await take(entry, contents) === false;
    if (isOther) contents.foreign.push(entry.path);
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
async function entriesOf(folder: string): Promise<Entry[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder))
    .catch(ignoreAbsent) ?? [];
  return entries
    .map((entry) => ({ ...entry, path: join(folder, entry.name) }))
    .sort((a, b) => a.name < b.name ? -1 : 1);
}
