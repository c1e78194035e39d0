import type { Settings } from "../../settings.ts";
import { prepareWithoutInstall } from "../../launcher/prepare.ts";
import { onInterrupt } from "../../launcher/interrupt.ts";
import { serve } from "../../launcher/serve.ts";
import { END_SIGNALS } from "../../signals.ts";
import { withProgress } from "../install_progress.ts";
import { toExitCode } from "../server_end.ts";

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
    ...(settings.sessionStore ? { stop: onInterrupt(END_SIGNALS) } : {}),
  });
  return toExitCode(status);
}
