import { isProgramReady } from "./program.ts";
import { spawn } from "./spawn.ts";

/**
 * Starts the server process. It has no permission, and gets its settings by its first
 * frame; so it can be started before the command line is read.
 */
export function startServer(
  task: "mcp" | "library",
  inspect = false,
): Deno.ChildProcess {
  return spawn("server", {
    ...{ argument: task, inspect },
    // Gives the SDK its small JSON Schema validator, which loads in a third of
    // the time. It also leaves out stdio, which is ours anyway.
    flags: ["--conditions=browser"],
    logs: true,
  });
}

/** Starts the server early if `stdio` is asked for and its packages are there. */
export function maybeStartServer(
  argv: readonly string[],
): Deno.ChildProcess | undefined {
  if (argv.includes("stdio") && isProgramReady()) return startServer("mcp");
}
