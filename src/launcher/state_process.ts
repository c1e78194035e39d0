import { messageOf } from "../errors.ts";
import { log } from "../log.ts";
import { STATE_BOUNDS } from "../protocol/state_bounds.ts";
import type { Settings } from "../settings.ts";
import { spawn } from "./spawn.ts";
import { openStoreFolder, refuseToShow, STATE } from "./store_folder.ts";
import type { ScopePaths } from "../grants/permissions.ts";

type StateSettings = Pick<
  Settings,
  "codeMode" | "stateDir" | "isUsualStateDir" | "mounts"
>;

/**
 * Opens the folder of `--state-dir` for code mode; gives the way to start the process
 * that keeps values in it. A usual folder that cannot be used is no reason not to
 * serve: then this way throws the reason, which each call is told.
 *
 * @throws {UserError} If the user's own choice cannot be used, or a mount shows the
 * folder.
 */
export function maybeOpenState(
  { codeMode, stateDir, isUsualStateDir, mounts }: StateSettings,
  places: ScopePaths,
): { state?: () => Deno.ChildProcess } {
  if (!codeMode) return {};
  if (stateDir === undefined) {
    return refusing(
      "this user has no home folder: choose one with --state-dir",
    );
  }
  let folder: string;
  try {
    folder = openStoreFolder(stateDir, [], STATE);
  } catch (error) {
    if (!isUsualStateDir) throw error;
    log(`warning: ${messageOf(error)}`);
    return refusing(messageOf(error));
  }
  refuseToShow(mounts, folder, Deno.build, STATE);
  return {
    state: () =>
      spawn("state", {
        places: { ...places, state: [folder] },
        argument: { folder, bounds: STATE_BOUNDS },
        logs: true,
      }),
  };
}

function refusing(reason: string): { state: () => Deno.ChildProcess } {
  return {
    state() {
      throw new Error(reason);
    },
  };
}
