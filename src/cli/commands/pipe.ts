import { prepare } from "../../launcher/prepare.ts";
import { serve } from "../../launcher/serve.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { toExitCode } from "./stdio.ts";

/** Serves a program of the user, such as the library for Python, until it is gone. */
export async function pipe(
  settings: Settings,
  server?: Deno.ChildProcess,
): Promise<number> {
  // Ctrl-C in a terminal is for the program, which may go on.
  Deno.addSignalListener("SIGINT", () => {});
  using prepared = await prepare(settings, withProgress);
  const status = await serve(prepared, {
    ...{ server, isForPrograms: true },
    client: { input: Deno.stdin.readable, output: Deno.stdout.writable },
  });
  return toExitCode(status);
}
