/**
 * The server process: MCP on one side, the pool on the other. It has no
 * permission at all, and asks the broker for what it needs.
 *
 * @module
 */
import { LocalPool } from "../pool/local_pool.ts";
import { Slots } from "../pool/slots.ts";
import { Link } from "./link.ts";
import { ScriptPools } from "./script_pools.ts";
import type { ServerSettings } from "./settings.ts";

// A terminal sends it to all processes; the launcher says what follows of it.
Deno.addSignalListener("SIGINT", () => {});
const link = new Link();
addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  link.fail(event.reason);
});
addEventListener("error", (event) => {
  event.preventDefault();
  link.fail(event.error);
});
if (JSON.parse(Deno.args[0] ?? "") === "run") {
  const settings = await link.settings;
  const { runOnce } = await import("./run_once.ts");
  if (settings.run) {
    await runOnce(link, startPool(settings), {
      ...settings,
      run: settings.run,
    });
  }
} else {
  // MCP is loaded while the launcher still reads its command line. Python starts
  // after that: together they would be slower to answer the first request, and
  // no sooner ready for the first call.
  const { serveMcp } = await import("./mcp.ts");
  const settings = await link.settings;
  const slots = new Slots(settings.pool.running);
  const pools = new ScriptPools({
    settings,
    own: startPool(settings, { slots }),
    install: (requirements) => link.install(requirements),
    startPool: (environment) => startPool(settings, { environment, slots }),
  });
  await serveMcp(link, pools, settings);
}
Deno.exit(0);

function startPool(
  { pool, startTimeoutSeconds }: ServerSettings,
  { environment = 0, ...shared }: { environment?: number; slots?: Slots } = {},
): LocalPool {
  return new LocalPool(() => link.spawn(environment), pool, {
    startMs: startTimeoutSeconds * 1000,
    ...shared,
  });
}
