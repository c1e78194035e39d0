/**
 * The server process: MCP on one side, the pool on the other. It has no
 * permission at all, and asks the broker for what it needs.
 *
 * @module
 */
import { LocalPool } from "../pool/local_pool.ts";
import { Link } from "./link.ts";

const link = new Link();
const settings = await link.settings;
const startPool = () => new LocalPool(() => link.spawn(), settings.poolSize);

if (settings.run) {
  const { runOnce } = await import("./run_once.ts");
  await runOnce(link, startPool(), { ...settings, run: settings.run });
} else {
  // Python starts when MCP is loaded: together they would be slower to answer
  // the client's first request, and no sooner ready for its first call.
  const { serveMcp } = await import("./mcp.ts");
  await serveMcp(link, startPool(), settings);
}
Deno.exit(0);
