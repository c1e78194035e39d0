import { UserError } from "../../errors.ts";
import { toHttpSettings } from "../../launcher/http_settings.ts";
import { onEndSignals, onEof } from "../../launcher/interrupt.ts";
import { prepareWithoutInstall } from "../../launcher/prepare.ts";
import { readTls } from "../../launcher/read_private.ts";
import { readTokens, takeTokenVariable } from "../../launcher/read_tokens.ts";
import type { Reread } from "../../launcher/reload.ts";
import { HANGUP } from "../../signals.ts";
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
  reread: Reread["settings"],
): Promise<number> {
  // It comes to a server that does not listen yet, too.
  for (const signal of HANGUP) Deno.addSignalListener(signal, () => {});
  const variable = takeTokenVariable();
  const http = await toHttpSettings(
    settings,
    command === "streamable-http-stateless",
    variable,
  );
  const ending = settings.untilEof ? onEof() : onEndSignals();
  using prepared = await prepareWithoutInstall(settings, withProgress);
  let told: Listening | undefined;
  const status = await serve(prepared, {
    http,
    reread: {
      settings: reread,
      tokens: () => readTokens(settings, variable),
      tls: () => readTls(settings),
    },
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
