import type { Server } from "../../deps/mcp_server.ts";
import type { HttpSettings } from "../../src/protocol/server_settings.ts";
import type { Owner } from "../../src/server/sessions/kept_session.ts";
import { CallsUnderWay } from "../../src/server/calls_under_way.ts";
import { openCallers } from "../../src/server/transports/http/callers/callers.ts";
import { toHandler } from "../../src/server/transports/http/handler.ts";
import { Admission } from "../../src/server/transports/http/limits/admission.ts";
import {
  listen,
  type Listener,
} from "../../src/server/transports/http/listener/listener.ts";
import { openShares } from "../../src/server/shares.ts";
import { SERVER_SETTINGS } from "./request.ts";
import { McpEndpoint } from "../../src/server/transports/http/mcp/endpoint.ts";

/**
 * Serves other MCP servers than the product's by the product's code for HTTP.
 *
 * @param create Takes what tells clients that the list of tools has changed.
 */
export async function hostMcp(
  http: HttpSettings,
  create: (tellToolsChanged: () => void, owner: Owner) => Server,
): Promise<Listener> {
  const log = { write() {} };
  const settings = { ...SERVER_SETTINGS, http };
  const shares = openShares(settings);
  const endpoint: McpEndpoint = new McpEndpoint(
    {
      createServer: (owner) => create(() => endpoint.tellToolsChanged(), owner),
      calls: new CallsUnderWay(),
      shares,
    },
    { maybeRefuse: () => undefined },
    http,
    log,
  );
  const identify = await openCallers(http);
  const handler = toHandler(
    http,
    { identify, admission: new Admission(http, shares.requests) },
    {
      open: {},
      forCallers: {
        [http.httpPath]: (request, caller) => endpoint.answer(request, caller),
      },
    },
  );
  return await listen(http, handler, shares);
}
