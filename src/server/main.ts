/**
 * The server process, between the client and the pool. It has no permission,
 * and asks the broker for processes and packages.
 *
 * @module
 */
import { LocalPool } from "./pool/local_pool.ts";
import { HOST_CALLS } from "./host_calls/host_calls.ts";
import { SHELL_CALLS } from "./host_calls/shell_calls.ts";
import { Share } from "../shares.ts";
import { Slots } from "./pool/turns.ts";
import { readFromSandbox } from "./pool/sandbox.ts";
import { BrokerLine } from "./broker_line.ts";
import { ScriptPools } from "./pool/script_pools.ts";
import type { ServerTask } from "../protocol/server_settings.ts";
import { toRunSetup } from "./to_run_setup.ts";
import { head } from "../results/cut.ts";
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
const codeMode = settings.codeMode
  ? (await import("./code_mode/open_code_mode.ts"))
    .openCodeMode(broker, settings)
  : undefined;
const turns = new Share(settings.pool.running);
const slots = new Slots(turns);
const { engine } = settings;
const pools = new ScriptPools({
  settings,
  turns,
  install: (requirements, onStep) => broker.install(requirements, onStep),
  startPool: ({ id: environment }, isOwn) =>
    new LocalPool(
      () =>
        broker.spawn(
          "sandbox",
          { engine: engine.name, environment },
          readFromSandbox,
        ),
      settings.pool,
      {
        engine,
        setup: toRunSetup(settings),
        startMs: settings.startTimeoutSeconds * 1000,
        hostCalls: codeMode?.hostCalls ??
          (settings.shell ? SHELL_CALLS : HOST_CALLS),
        onEnd(reason, hasRun, cause) {
          pools.restarts[cause]++;
          const level = hasRun ? "info" : "warning";
          broker.log.write(level, "sandbox", { ended: head(reason, 1000) });
        },
        slots,
        // Calls that ask for packages of their own are rare.
        idle: isOwn ? 1 : 0,
      },
    ),
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
