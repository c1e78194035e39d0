import { EXIT, reasonOf, UserError } from "../errors.ts";
import { isWithin } from "../grants/is_within.ts";
import { type Mount, refuseMount } from "../grants/mounts.ts";
import { log } from "../log.ts";

/**
 * Opens the folder of `--session-store`, which is made if it is not there; gives its
 * path without links.
 *
 * @throws {UserError} If it cannot be made or written, or Python could see it.
 */
export function openStoreFolder(
  path: string,
  mounts: readonly Mount[],
): string {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refuse(path, reasonOf(error));
  }
  const folder = Deno.realPathSync(path);
  // Deno splits on every comma and has no escape for paths.
  if (folder.includes(",")) throw refuse(path, "its path has a comma");
  const reason = whyNotWritable(folder);
  if (reason !== undefined) throw refuse(path, reason);
  refuseToShow(mounts, folder, Deno.build);
  const warning = whyNotPrivate(folder);
  if (warning !== undefined) log(`warning: ${warning}`);
  return folder;
}

/** @throws {UserError} If Python could see or change sessions by a mount. */
export function refuseToShow(
  mounts: readonly Mount[],
  folder: string,
  system: { os: string },
): void {
  for (const { host } of mounts) {
    if (isWithin(host, folder, system) || isWithin(folder, host, system)) {
      throw refuseMount(
        host,
        `Python would see the sessions of all clients, which are in "${folder}": choose another folder with --session-store`,
      );
    }
  }
}

/** The reason why no file can be made in a folder; undefined if it can. */
export function whyNotWritable(folder: string): string | undefined {
  try {
    Deno.removeSync(Deno.makeTempFileSync({ dir: folder, prefix: "try-" }));
  } catch (error) {
    return reasonOf(error);
  }
}

/** A sentence if other users of this machine may look into a folder. */
export function whyNotPrivate(folder: string): string | undefined {
  const { mode } = Deno.statSync(folder);
  if (mode === null || (mode & 0o077) === 0) return undefined;
  return `Other users may read or change "${folder}", in which sessions are stored: chmod 700 closes it to them.`;
}

function refuse(path: string, reason: string): UserError {
  return new UserError(
    `Cannot store sessions in "${path}": ${reason}. ` +
      "Choose another folder with --session-store.",
    EXIT.usage,
  );
}
