import { join } from "node:path";
import { DeadlineError, within } from "../deadline.ts";
import { reasonOf } from "../errors.ts";

/** Name of the file that servers lock while they write; it is never removed. */
export const LOCK = "lock";

/**
 * Has the folder alone among all servers of this machine; the system ends a lock
 * with its process.
 *
 * @throws {Error} If another process does not give it back in time, or the disk has
 * no locks: without a lock, two writers could lose a value.
 */
export async function lockFolder(
  folder: string,
  waitMs: number,
): Promise<Disposable> {
  const path = join(folder, LOCK);
  const options = { read: true, write: true, create: true, mode: 0o600 };
  const file = await Deno.open(path, options);
  const locked = file.lock(true);
  try {
    await within(locked, waitMs);
    return file;
  } catch (error) {
    // A lock that comes later is given back at once.
    locked.catch(() => {}).then(() => file.close());
    if (!(error instanceof DeadlineError)) {
      const reason = reasonOf(error);
      throw new Error(
        `its disk has no locks (${reason}): choose another folder with --state-dir`,
      );
    }
    const seconds = waitMs / 1000;
    throw new Error(
      `another server has had its lock for ${seconds} s: end that server`,
    );
  }
}
