import type { ServerTask } from "../protocol/server_settings.ts";
import { isProgramReady } from "./program.ts";
import { spawn } from "./spawn.ts";
import type { ScopePaths } from "../grants/permissions.ts";

/**
 * Starts the server process. It gets its settings by its first frame; so it can
 * be started before the command line is read.
 *
 * @param options.places Where it may listen; nowhere if absent.
 */
export function startServer(
  task: ServerTask,
  options: { inspect?: boolean; places?: ScopePaths } = {},
): Deno.ChildProcess {
  return spawn("server", {
    ...{ ...options, argument: task },
    // Gives the SDK its small JSON Schema validator, which loads in a third of
    // the time. It also leaves out stdio, which is ours anyway.
    flags: ["--conditions=browser"],
    logs: true,
  });
}

/** Starts the server early if its packages are there, for `stdio` and `pipe`. */
export function maybeStartServer(
  argv: readonly string[],
): Deno.ChildProcess | undefined {
  const task = argv.includes("stdio")
    ? "stdio"
    : argv.includes("pipe") && "programs";
  if (task && isProgramReady()) return startServer(task);
}
