/**
 * An MCP server on our hosting of HTTP, with a tool that does nothing; prints
 * its address. Its argument is `stateless` for no MCP sessions.
 *
 * @module
 */
import { print } from "../../../src/log.ts";
import type { HttpSettings } from "../../../src/protocol/server_settings.ts";
import { DEFAULTS, settingsFor } from "../../../src/settings.ts";
import { hostMcp } from "../../support/host_mcp.ts";
import { createNoop } from "../noop.ts";

const MANY = 1_000_000;

const settings: HttpSettings = {
  ...settingsFor("http", { ...DEFAULTS, cacheDir: "" }),
  ...{
    address: "127.0.0.1",
    port: 0,
    web: false,
    allowedHosts: [],
    tokens: [],
  },
  isStateless: Deno.args[0] === "stateless",
  ...{ maxHttpConnections: MANY, maxRequests: MANY, maxClientRate: MANY },
  shutdownWaitSeconds: 0,
};
const { url } = await hostMcp(settings, createNoop);
print(`${url}\n`);
