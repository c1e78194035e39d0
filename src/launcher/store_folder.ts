import { EXIT, reasonOf, UserError } from "../errors.ts";
import { isWithin } from "../grants/is_within.ts";
import { type Mount, refuseMount } from "../grants/mounts.ts";
import { log } from "../log.ts";

/** A private folder, by the words of its messages. */
export interface PrivateFolder {
  /** What is in it. */
  holds: string;
  /** Its task, before its path. */
  doing: string;
  option: string;
}

const SESSIONS: PrivateFolder = {
  holds: "the sessions of all clients",
  doing: "store sessions in",
  option: "--session-store",
};

/** What outlives sessions, in code mode. */
export const STATE: PrivateFolder = {
  holds: "the memory and saved tools of all clients",
  doing: "keep memory and saved tools in",
  option: "--state-dir",
};

/**
 * Opens the folder of `--session-store`, or another private folder, which is made if
 * it is not there; gives its path without links.
 *
 * @throws {UserError} If it cannot be made or written, or Python could see it.
 */
export function openStoreFolder(
  path: string,
  mounts: readonly Mount[],
  words: PrivateFolder = SESSIONS,
): string {
  try {
    Deno.mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refuse(path, reasonOf(error), words);
  }
  const folder = Deno.realPathSync(path);
  // Deno splits on every comma and has no escape for paths.
  if (folder.includes(",")) throw refuse(path, "its path has a comma", words);
  const reason = whyNotWritable(folder);
  if (reason !== undefined) throw refuse(path, reason, words);
  refuseToShow(mounts, folder, Deno.build, words);
  const warning = whyNotPrivate(folder, words);
  if (warning !== undefined) log(`warning: ${warning}`);
  return folder;
}

/** @throws {UserError} If Python could see or change a private folder by a mount. */
export function refuseToShow(
  mounts: readonly Mount[],
  folder: string,
  system: { os: string },
  { holds, option }: PrivateFolder = SESSIONS,
): void {
  for (const { host } of mounts) {
    if (isWithin(host, folder, system) || isWithin(folder, host, system)) {
      throw refuseMount(
        host,
        `Python would see ${holds}, which are in "${folder}": choose another folder with ${option}`,
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
export function whyNotPrivate(
  folder: string,
  { holds }: PrivateFolder = SESSIONS,
): string | undefined {
  const { mode } = Deno.statSync(folder);
  if (mode === null || (mode & 0o077) === 0) return undefined;
  return `Other users may read or change "${folder}", which holds ${holds}: chmod 700 closes it to them.`;
}

function refuse(
  path: string,
  reason: string,
  { doing, option }: PrivateFolder,
): UserError {
  return new UserError(
    `Cannot ${doing} "${path}": ${reason}. ` +
      `Choose another folder with ${option}.`,
    EXIT.usage,
  );
}
