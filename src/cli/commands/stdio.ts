import { EXIT } from "../../errors.ts";
import { onEndSignals } from "../../launcher/interrupt.ts";
import { prepare, prepareWithoutInstall } from "../../launcher/prepare.ts";
import { serve } from "../../launcher/serve.ts";
import { howEnded } from "../../launcher/spawn.ts";
import { logError } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { END_SIGNALS, HANGUP } from "../../signals.ts";
import { withProgress } from "../install_progress.ts";

/** Serves MCP on stdin and stdout, until the client is gone. */
export async function stdio(
  settings: Settings,
  server?: Deno.ChildProcess,
): Promise<number> {
  using prepared = await prepareWithoutInstall(settings, withProgress);
  const status = await serve(prepared, {
    server,
    client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
    // Without a store nothing is left to do, and a signal ends all at once.
    ...(settings.sessionStore ? onEndSignals([...END_SIGNALS, ...HANGUP]) : {}),
  });
  return toExitCode(status);
}

/** Serves a program of the user, such as the library for Python, until it is gone. */
export async function pipe(
  settings: Settings,
  server?: Deno.ChildProcess,
): Promise<number> {
  // Ctrl-C in a terminal is for the program, which may go on.
  Deno.addSignalListener("SIGINT", () => {});
  using prepared = await prepare(settings, withProgress);
  const status = await serve(prepared, {
    server,
    isForPrograms: true,
    client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
  });
  return toExitCode(status);
}

/** The exit code of a command whose server has ended; says it if that is a fault. */
export function toExitCode(status: Deno.CommandStatus): number {
  if (status.success) return EXIT.ok;
  logError(`The server process ended (${howEnded(status)}); start it again.`);
  return EXIT.failure;
}
