import { EXIT, messageOf, reasonOf, UserError } from "../errors.ts";
import { type PrivateFolder, refuseToShow } from "../grants/policy.ts";
import type { ScopePaths } from "../grants/permissions.ts";
import { log } from "../log.ts";
import {
  type KeeperBounds,
  sessionBounds,
  STATE_BOUNDS,
} from "../protocol/keeper_messages.ts";
import type { Settings } from "../settings.ts";
import { MIB } from "../units.ts";
import { spawn } from "./spawn.ts";

export const SESSIONS: PrivateFolder = {
  holds: "the sessions of all clients",
  doing: "store sessions in",
  option: "--session-store",
};

/** The values that outlive sessions, in code mode. */
export const STATE: PrivateFolder = {
  holds: "the memory and saved tools of all clients",
  doing: "keep memory and saved tools in",
  option: "--state-dir",
};

/** Facts of a session beside its memory and files: names, modes, tables. */
const BEYOND_MEMORY_MIB = 64;

/** Ways to start the keepers, by the names of their folders. */
type Keepers = Partial<Record<"sessions" | "state", () => Deno.ChildProcess>>;

/**
 * Opens the folder of `--session-store`, and that of `--state-dir` in code mode and with
 * components. A usual state folder that cannot be used is no reason not to serve: its way then
 * throws the reason, which each call is told.
 *
 * @throws {UserError} If the user's own choice cannot be used, or a mount shows it.
 */
export function openKeepers(
  settings: Pick<
    Settings,
    | ("codeMode" | "components" | "stateDir" | "isUsualStateDir")
    | ("mounts" | "sessionStore")
    | ("memoryMiB" | "maxFilesMiB" | "maxStoredSessionsMiB")
  >,
  places: ScopePaths,
  nice: readonly string[] = [],
): Keepers {
  const { codeMode, components, stateDir, sessionStore, mounts } = settings;
  const keepers: Keepers = {};
  const keep = (folder: string, bounds: KeeperBounds) => () =>
    spawn("keeper", {
      places: { ...places, kept: [folder] },
      argument: { folder, bounds },
      logs: true,
      wall: [...nice],
    });
  if (sessionStore !== undefined) {
    const { memoryMiB, maxFilesMiB, maxStoredSessionsMiB } = settings;
    const folder = openPrivateFolder(sessionStore, SESSIONS, mounts);
    const mostMiB = memoryMiB + maxFilesMiB + BEYOND_MEMORY_MIB;
    keepers.sessions = keep(
      folder,
      sessionBounds(mostMiB * MIB, maxStoredSessionsMiB * MIB),
    );
  }
  // It also remembers the tools of servers and components.
  if (codeMode || components.length > 0) keepers.state = openState();
  return keepers;

  function openState(): () => Deno.ChildProcess {
    if (stateDir === undefined) {
      return refusing(
        "this user has no home folder: choose one with --state-dir",
      );
    }
    let folder: string;
    try {
      folder = openPrivateFolder(stateDir, STATE);
    } catch (error) {
      if (!settings.isUsualStateDir) throw error;
      log(`warning: ${messageOf(error)}`);
      return refusing(messageOf(error));
    }
    refuseToShow(mounts, folder, Deno.build, STATE);
    return keep(folder, STATE_BOUNDS);
  }
}

function refusing(reason: string): () => never {
  return () => {
    throw new Error(reason);
  };
}

/**
 * Opens a private folder, which is made if it is not there; gives its path without
 * links.
 *
 * @throws {UserError} If it cannot be made or written, or Python could see it.
 */
export function openPrivateFolder(
  path: string,
  words: PrivateFolder,
  mounts: Settings["mounts"] = [],
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
  { holds }: PrivateFolder,
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
    `Cannot ${doing} "${path}": ${reason}. Choose another folder with ${option}.`,
    EXIT.usage,
  );
}
