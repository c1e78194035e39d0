import { isProgramReady } from "./program.ts";
import { spawn } from "./spawn.ts";

/**
 * Starts the server process. It has no permission, and learns by its first frame
 * what it is for; so it can be started before the command line is read.
 */
export function startServer(task: "mcp" | "own calls"): Deno.ChildProcess {
  return spawn("server", {
    argument: task,
    // Gives the SDK its small JSON Schema validator, which loads in a third of
    // the time; what else it leaves out is stdio, and we have our own.
    flags: ["--conditions=browser"],
    logs: true,
  });
}

/** Starts the server early, if it will be needed and can be started. */
export function maybeStartServer(
  argv: readonly string[],
): Deno.ChildProcess | undefined {
  if (argv.includes("stdio") && isProgramReady()) return startServer("mcp");
}
