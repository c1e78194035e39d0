/**
 * An MCP server on our hosting of HTTP, with a tool that does nothing; prints
 * its address.
 *
 * @module
 */
import { print } from "../../../src/log.ts";
import type { HttpSettings } from "../../../src/protocol/server_settings.ts";
import { Callers } from "../../../src/server/transports/http/callers.ts";
import { McpEndpoint } from "../../../src/server/transports/http/endpoint.ts";
import { toHandler } from "../../../src/server/transports/http/handler.ts";
import { listen } from "../../../src/server/transports/http/listener.ts";
import { createNoop } from "../noop.ts";

const MANY = 1_000_000;

const settings: HttpSettings = {
  ...{ host: "127.0.0.1", port: 0, path: "/mcp", web: false },
  isStateless: Deno.args[0] === "stateless",
  ...{ allowedHosts: [], allowedOrigins: [], tokens: [] },
  ...{ maxBodyBytes: MANY, headerTimeoutMs: 10_000, bodyTimeoutMs: 60_000 },
  ...{ maxConnections: MANY, maxClientRequests: MANY, maxClientRate: MANY },
  ...{ maxClientRuns: MANY, maxMcpSessions: 1000, shutdownWaitMs: 0 },
};
const log = { write: () => Promise.resolve() };
const endpoint = new McpEndpoint({ createServer: createNoop }, settings, log);
const callers = new Callers(settings);
const { url } = await listen(
  settings,
  toHandler(settings, { callers, endpoint }),
);
print(`${url}\n`);
