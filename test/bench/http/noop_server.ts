/**
 * An MCP server on our hosting of HTTP, with a tool that does nothing; prints
 * its address. Its argument is `stateless` for no MCP sessions.
 *
 * @module
 */
import { print } from "../../../src/log.ts";
import type { HttpSettings } from "../../../src/protocol/server_settings.ts";
import { CallsUnderWay } from "../../../src/server/calls_under_way.ts";
import { Admission } from "../../../src/server/transports/http/limits/admission.ts";
import { Callers } from "../../../src/server/transports/http/callers/callers.ts";
import { McpEndpoint } from "../../../src/server/transports/http/mcp/endpoint.ts";
import { toHandler } from "../../../src/server/transports/http/handler.ts";
import { listen } from "../../../src/server/transports/http/listener/listener.ts";
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
const log = { write: () => {} };
const endpoint = new McpEndpoint(
  { createServer: createNoop, calls: new CallsUnderWay() },
  { maybeRefuse: () => undefined },
  ...[settings, log] as const,
);
const callers = await Callers.open(settings, log);
const handler = toHandler(
  settings,
  { callers, admission: new Admission(settings) },
  {
    open: [],
    forCallers: [[
      settings.path,
      (request, caller) => endpoint.answer(request, caller),
    ]],
  },
);
const { url } = await listen(settings, handler);
print(`${url}\n`);
