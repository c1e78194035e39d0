/**
 * The server process, between the client and the pool. It has no permission,
 * and asks the broker for processes and packages.
 *
 * @module
 */
import { HOST_CALLS } from "./host_calls/host_calls.ts";
import { SHELL_CALLS } from "./host_calls/shell_calls.ts";
import { Share } from "../shares.ts";
import { BrokerLine } from "./broker_line.ts";
import { ScriptPools } from "./pool/script_pools.ts";
import { poolStarter } from "./pool/start_pool.ts";
import type { ServerTask } from "../protocol/server_settings.ts";
import { leaveSignals } from "../signals.ts";

leaveSignals();
const broker = new BrokerLine();
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  broker.fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  broker.fail(event.error);
});
// The server loads its transport while the launcher still reads its command line,
// and starts Python after that: both at a time would delay the answer to the
// first request, and Python would be ready no sooner.
const serve = await loadTransport(JSON.parse(Deno.args[0] ?? ""));
const settings = await broker.settings;
const codeMode = settings.codeMode || settings.hasComponents
  ? (await import("./code_mode/open_code_mode.ts"))
    .openCodeMode(broker, settings)
  : undefined;
const turns = new Share(settings.pool.running);
const hostCalls = codeMode?.hostCalls ??
  (settings.shell ? SHELL_CALLS : HOST_CALLS);
const pools = new ScriptPools({
  ...{ settings, turns },
  install: (requirements, onStep) => broker.install(requirements, onStep),
  startPool: poolStarter(broker, settings, { turns, hostCalls }),
});
await serve(broker, pools, settings, codeMode?.parts);
await broker.end();

/** The command line names one of these: the others are not loaded. */
async function loadTransport(task: ServerTask) {
  switch (task) {
    case "stdio":
      return (await import("./transports/serve_stdio.ts")).serveStdio;
    case "http":
      return (await import("./transports/http/serve_http.ts")).serveHttp;
    case "programs":
      return (await import("./transports/programs.ts")).servePrograms;
  }
}
