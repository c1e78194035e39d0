import { howEnded } from "../../launcher/spawn.ts";
import { EXIT } from "../../errors.ts";
import { logError } from "../../log.ts";
import type { Settings } from "../../settings.ts";
import { prepareWithoutInstall } from "../../launcher/prepare.ts";
import { serve } from "../../launcher/serve.ts";
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
  });
  if (status.success) return EXIT.ok;
  logError(`The server process ended (${howEnded(status)}); start it again.`);
  return EXIT.failure;
}
