import { join } from "node:path";
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
  const late = Promise.withResolvers<"late">();
  const timer = setTimeout(() => late.resolve("late"), waitMs);
  const locked = file.lock(true).then(() => "locked" as const);
  try {
    if (await Promise.race([locked, late.promise]) === "locked") return file;
  } catch (error) {
    file.close();
    throw new Error(
      `its disk has no locks (${
        reasonOf(error)
      }): choose another folder with --state-dir`,
    );
  } finally {
    clearTimeout(timer);
  }
  // A lock that comes later is given back at once.
  locked.catch(() => {}).then(() => file.close());
  throw new Error(
    `another server has had its lock for ${waitMs / 1000} s: end that server`,
  );
}
