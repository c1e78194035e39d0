// Locks between processes, on files of the cache (`flock`). The system frees a
// lock when its holder ends, even if it is killed; child processes do not inherit
// the files that Deno opens, so no child keeps a lock alive.
//
// Without locks nothing breaks, as environments and wheels are moved into place
// whole: on a disk that is read-only or has no locks, this program goes on.
// Locked files are never read, which would fail on Windows.
import { dirname, join } from "node:path";
import { maybe } from "../errors.ts";

/** A file of an environment, empty: its users lock it, and its age is that of the last use. */
export const USED = "used";

/** Name of the lock that installs share and a removal has alone; its file is never removed. */
export const CACHE_LOCK = "cache";

const NO_LOCK: Disposable = { [Symbol.dispose]() {} };

/** The file by which the install of an environment is locked. */
export function lockFile(cacheDir: string, id: string): string {
  return join(cacheDir, "locks", id);
}

/** Shares the cache; calls `onWait` once, and waits, if another process installs this environment. */
export async function lockEnvironment(
  cacheDir: string,
  id: string,
  { onWait }: { onWait: () => void },
): Promise<Disposable> {
  const locks = new DisposableStack();
  // First: while the cache is shared, no process removes the file of the second lock.
  locks.use(await shareCache(cacheDir));
  locks.use(await lock(lockFile(cacheDir, id), { onWait }));
  return locks;
}

/** Keeps other processes from removing entries that an install may be about to use. */
export async function shareCaches(folders: string[]): Promise<Disposable> {
  const locks = new DisposableStack();
  for (const folder of folders) locks.use(await shareCache(folder));
  return locks;
}

async function shareCache(cacheDir: string): Promise<Disposable> {
  return await lock(lockFile(cacheDir, CACHE_LOCK), { shared: true });
}

/** Locks the cache to remove entries, or throws; undefined if an install may be going on. */
export function maybeClaimCache(cacheDir: string): Disposable | undefined {
  const path = lockFile(cacheDir, CACHE_LOCK);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.openSync(path, { write: true, create: true }).close();
  return maybeLock(path);
}

/**
 * Marks an environment as in use, and as used now; does nothing without locks.
 * Open the environment after this call: another process may have removed it just
 * before.
 */
export function holdEnvironment(folder: string): Disposable {
  const file = maybeOpen(join(folder, USED));
  if (!file) return NO_LOCK;
  const now = new Date();
  // Fails on a file of another user.
  maybe(() => file.utimeSync(now, now));
  // Waits only for a process that is about to remove it, which takes no time.
  maybe(() => file.lockSync(false));
  return file;
}

export function isInUse(folder: string): boolean {
  using free = maybeLock(join(folder, USED));
  return free === undefined;
}

async function lock(
  path: string,
  { shared = false, onWait }: { shared?: boolean; onWait?: () => void },
): Promise<Disposable> {
  maybe(() => Deno.mkdirSync(dirname(path), { recursive: true }));
  const file = maybeOpen(path, { create: true });
  if (!file) return NO_LOCK;
  // False if the lock is taken, undefined if the disk has no locks.
  const isFree = maybe(() => file.tryLockSync(!shared));
  if (isFree === false) {
    onWait?.();
    await file.lock(!shared).catch(() => {});
  }
  return file;
}

/** Locks a file alone; undefined if another process has it locked, or might have. */
export function maybeLock(path: string): Disposable | undefined {
  if (!exists(path)) return NO_LOCK;
  const file = maybeOpen(path);
  if (file && maybe(() => file.tryLockSync(true))) return file;
  file?.close();
}

/** Opens a file to lock it; being able to read it is enough on most disks. */
function maybeOpen(
  path: string,
  options?: { create: true },
): Deno.FsFile | undefined {
  const all = { read: true, write: true, ...options };
  return maybe(() => Deno.openSync(path, all)) ??
    maybe(() => Deno.openSync(path));
}

/** Whether something is at a path, or might be. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}
