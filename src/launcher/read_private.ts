import { reasonOf, usageError } from "../errors.ts";
import { log } from "../log.ts";
import type { Settings } from "../settings.ts";
import { maybeMount } from "./maybe_mount.ts";

/**
 * Reads a file of secrets that an option names; warns if other users of this
 * machine may read it.
 *
 * @throws {UserError} If it cannot be read, or Python could read it by a mount.
 */
export function readPrivate(
  path: string,
  { flag, mounts }: { flag: string } & Pick<Settings, "mounts">,
): string {
  const text = readFile(path, flag);
  const shown = maybeMount(path, mounts);
  if (shown) {
    throw usageError(
      `Cannot use "${path}" for ${flag} as Python could read it in the mount of "${shown.host}": move it to another folder.`,
    );
  }
  const { mode } = Deno.statSync(path);
  if (mode !== null && (mode & 0o077) !== 0) {
    log(
      `warning: Other users may read "${path}" of ${flag}: chmod 600 closes it to them.`,
    );
  }
  return text;
}

/** @throws {UserError} If it cannot be read. */
export function readFile(path: string, flag: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    throw usageError(`Cannot read "${path}" of ${flag}: ${reasonOf(error)}.`);
  }
}
