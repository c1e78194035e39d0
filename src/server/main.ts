/**
 * The server process: MCP on one side, the pool on the other. It has no
 * permission at all, and asks the broker for what it needs.
 *
 * @module
 */
import { LocalPool } from "./pool/local_pool.ts";
import { Slots } from "./pool/slots.ts";
import { BrokerLine } from "./broker_line.ts";
import { ScriptPools } from "./pool/script_pools.ts";
import { toRunSetup } from "./run_setup.ts";
import type { ServerSettings } from "../protocol/server_settings.ts";

// A terminal sends it to all processes; the launcher says what follows of it.
Deno.addSignalListener("SIGINT", () => {});
const broker = new BrokerLine();
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  broker.fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  broker.fail(event.error);
});
if (JSON.parse(Deno.args[0] ?? "") === "run") {
  const settings = await broker.settings;
  const { runOnce } = await import("./run_once.ts");
  if (settings.run) {
    await runOnce(broker, startPool(settings), {
      ...settings,
      run: settings.run,
    });
  }
} else {
  // MCP is loaded while the launcher still reads its command line. Python starts
  // after that: together they would be slower to answer the first request, and
  // no sooner ready for the first call.
  const { serveMcp } = await import("./mcp.ts");
  const settings = await broker.settings;
  const slots = new Slots(settings.pool.running);
  const pools = new ScriptPools({
    settings,
    own: startPool(settings, { slots }),
    install: (requirements) => broker.install(requirements),
    startPool: (environment) => startPool(settings, { environment, slots }),
  });
  await serveMcp(broker, pools, settings);
}
Deno.exit(0);

function startPool(
  settings: ServerSettings,
  { environment = 0, ...shared }: { environment?: number; slots?: Slots } = {},
): LocalPool {
  return new LocalPool(() => broker.spawn(environment), settings.pool, {
    setup: toRunSetup(settings),
    startMs: settings.startTimeoutSeconds * 1000,
    ...shared,
  });
}
