/**
 * An MCP server on our hosting of HTTP, with a tool that does nothing; prints
 * its address. Its argument is `stateless` for no MCP sessions.
 *
 * @module
 */
import { print } from "../../../src/log.ts";
import type { HttpSettings } from "../../../src/protocol/server_settings.ts";
import { hostMcp } from "../../support/host_mcp.ts";
import { createNoop } from "../noop.ts";

const MANY = 1_000_000;

const settings: HttpSettings = {
  ...{ host: "127.0.0.1", address: "127.0.0.1", port: 0, path: "/mcp" },
  web: false,
  isStateless: Deno.args[0] === "stateless",
  ...{ allowedHosts: [], allowedOrigins: [], tokens: [] },
  ...{ maxBodyBytes: MANY, headerTimeoutMs: 10_000, bodyTimeoutMs: 60_000 },
  ...{ maxConnections: MANY, maxClientRequests: MANY, maxClientRate: MANY },
  ...{ maxClientRuns: MANY, maxMcpSessions: 1000, shutdownWaitMs: 0 },
};
const { url } = await hostMcp(settings, createNoop);
print(`${url}\n`);
