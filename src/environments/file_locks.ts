/**
 * Locks between processes, on files of the cache (`flock`).
 *
 * The system frees a lock when its holder ends, however that ends: a killed
 * install is taken over at once, and nothing has to be timed out. Deno opens
 * files such that child processes do not inherit them, so that no child keeps a
 * lock alive.
 *
 * A lock saves work and keeps what is in use; nothing becomes wrong without it,
 * as environments and wheels are moved into place whole. So where there can be
 * none (a disk that is read-only, or knows no locks) all goes on without.
 *
 * No file is locked that anyone reads: on Windows that would fail.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { USED } from "./environment.ts";

/** Shared by all who install; held alone by who removes. Never removed. */
export const CACHE_LOCK = "cache";

const NO_LOCK: Disposable = { [Symbol.dispose]() {} };

/** Folder of locks. */
export function locksFolder(cacheDir: string): string {
  return join(cacheDir, "locks");
}

/**
 * Waits until no other process installs this environment, and keeps others from
 * it; and from removing wheels and drafts, as `shareCache()` does.
 *
 * @param id Name of its folder.
 * @param options.onWait Called once if it has to wait.
 */
export async function lockEnvironment(
  cacheDir: string,
  id: string,
  { onWait }: { onWait: () => void },
): Promise<Disposable> {
  // This first: who has it open may also have a lock of its own open, which
  // therefore is not removed.
  const shared = await shareCache(cacheDir);
  const own = await lock(join(locksFolder(cacheDir), id), { onWait });
  return {
    [Symbol.dispose]() {
      own[Symbol.dispose]();
      shared[Symbol.dispose]();
    },
  };
}

/** Keeps others from removing what an install may be about to use. */
export async function shareCache(cacheDir: string): Promise<Disposable> {
  return await lock(join(locksFolder(cacheDir), CACHE_LOCK), { shared: true });
}

/**
 * Has the cache for this process alone, for removing things.
 *
 * @returns Undefined if an install is going on, or that cannot be known.
 * @throws {Error} If the cache cannot be written.
 */
export function maybeClaimCache(cacheDir: string): Disposable | undefined {
  const path = join(locksFolder(cacheDir), CACHE_LOCK);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.openSync(path, { write: true, create: true }).close();
  return maybeLock(path);
}

/**
 * Has an environment's install lock, if no one has.
 *
 * @returns Undefined if it is being installed, or that cannot be known.
 */
export function maybeLockEnvironment(
  cacheDir: string,
  id: string,
): Disposable | undefined {
  const path = join(locksFolder(cacheDir), id);
  return exists(path) ? maybeLock(path) : NO_LOCK;
}

/**
 * Says that an environment is in use from now on, and that it was used now.
 *
 * Open the environment after this: it may have been removed just before. Needs
 * no permission once it is held. Where it is not there, or there are no locks,
 * this does nothing.
 */
export function holdEnvironment(folder: string): Disposable {
  const file = maybeOpen(join(folder, USED));
  if (!file) return NO_LOCK;
  const now = new Date();
  // May be another user's.
  attempt(() => file.utimeSync(now, now));
  // Waits only for one who is about to remove it, which takes no time.
  attempt(() => file.lockSync(false));
  return file;
}

/** Whether a running process holds an environment; true if that is not known. */
export function isInUse(folder: string): boolean {
  using free = maybeTakeEnvironment(folder);
  return free === undefined;
}

/**
 * Has an environment for this process alone, for removing it.
 *
 * @returns Undefined if it is in use, or that cannot be known.
 */
export function maybeTakeEnvironment(folder: string): Disposable | undefined {
  const path = join(folder, USED);
  return exists(path) ? maybeLock(path) : NO_LOCK;
}

async function lock(
  path: string,
  { shared = false, onWait = () => {} }: {
    shared?: boolean;
    onWait?: () => void;
  },
): Promise<Disposable> {
  const file = maybeCreate(path);
  if (!file) return NO_LOCK;
  // False if it is taken, undefined if there can be none.
  const isFree = attempt(() => file.tryLockSync(!shared));
  if (isFree === false) {
    onWait();
    await file.lock(!shared).catch(() => {});
  }
  return file;
}

function maybeLock(path: string): Disposable | undefined {
  const file = maybeOpen(path);
  if (file && attempt(() => file.tryLockSync(true))) return file;
  file?.close();
}

function maybeCreate(path: string): Deno.FsFile | undefined {
  attempt(() => Deno.mkdirSync(dirname(path), { recursive: true }));
  return maybeOpen(path, { create: true });
}

/** Opens a file to lock it; being able to read it is enough on most disks. */
function maybeOpen(
  path: string,
  { create = false } = {},
): Deno.FsFile | undefined {
  return attempt(() =>
    Deno.openSync(path, { read: true, write: true, create })
  ) ?? attempt(() => Deno.openSync(path));
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** What cannot be done is left undone: see above. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
