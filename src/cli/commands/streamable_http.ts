import { UserError } from "../../errors.ts";
import { toHttpSettings } from "../../launcher/http_settings.ts";
import { onEndSignals, onEof } from "../../launcher/interrupt.ts";
import { prepareWithoutInstall } from "../../launcher/prepare.ts";
import { serve } from "../../launcher/serve.ts";
import { print } from "../../log.ts";
import type { Listening } from "../../protocol/server_settings.ts";
import type { OVER_HTTP } from "../../settings/option.ts";
import type { Settings } from "../../settings.ts";
import { withProgress } from "../install_progress.ts";
import { toExitCode } from "./stdio.ts";

/** Serves MCP over HTTP, until a signal ends it. */
export async function streamableHttp(
  settings: Settings,
  command: typeof OVER_HTTP[number],
): Promise<number> {
  const http = await toHttpSettings(
    settings,
    command === "streamable-http-stateless",
  );
  const ending = settings.untilEof ? onEof() : onEndSignals();
  using prepared = await prepareWithoutInstall(settings, withProgress);
  let told: Listening | undefined;
  const status = await serve(prepared, {
    http,
    ...ending,
    onListening(listening) {
      told = listening;
      if ("url" in listening) print(describe(listening.url, http.web));
    },
  });
  if (told && "error" in told) {
    throw new UserError(
      `Cannot listen on ${http.host}, port ${http.port}: ${told.error}. Choose another --port or --host.`,
    );
  }
  return toExitCode(status);
}

function describe(url: string, hasPage: boolean): string {
  const page = hasPage ? `, and a page at ${new URL("/", url)}` : "";
  return `Serving MCP at ${url}${page}\n`;
}
