import type { ServerTask } from "../protocol/server_settings.ts";
import { COMMANDS } from "../settings/option.ts";
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
  const server = spawn("server", {
    ...options,
    argument: task,
    // Gives the SDK its small JSON Schema validator, which loads in a third of
    // the time. It also leaves out stdio, which is ours anyway.
    flags: ["--conditions=browser"],
    logs: true,
  });
  tasks.set(server, task);
  return server;
}

/** Starts the server early if its packages are there, for `stdio` and `pipe`. */
export function maybeStartServer(
  argv: readonly string[],
): Deno.ChildProcess | undefined {
  const task = earlyTask(argv);
  if (task && isProgramReady()) return startServer(task);
}

/**
 * The server's task, as far as the command line tells it before it is read: words
 * behind the command may be of the code of `run`.
 */
export function earlyTask(argv: readonly string[]): ServerTask | undefined {
  const command = argv.find((word) => COMMAND_NAMES.has(word));
  if (command === "stdio") return "stdio";
  return command === "pipe" ? "programs" : undefined;
}

const COMMAND_NAMES: ReadonlySet<string> = new Set(COMMANDS);

/** Whether a server was started for no other task. */
export function isFor(server: Deno.ChildProcess, task: ServerTask): boolean {
  return (tasks.get(server) ?? task) === task;
}

const tasks = new WeakMap<Deno.ChildProcess, ServerTask>();
