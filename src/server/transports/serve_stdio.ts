import {
  type Server,
  serveStdio as serveTransport,
} from "../../../deps/mcp_server.ts";
import type { ServerSettings } from "../../protocol/server_settings.ts";
import { head } from "../../results/cut.ts";
import type { ClientSide } from "../broker_line.ts";
import type { CodeModeParts } from "../code_mode/code_mode.ts";
import type { Contracts } from "../contracts/contracts.ts";
import { McpHost, type McpPools } from "../mcp_host.ts";
import { StdioTransport } from "./stdio.ts";

/** The only client there is. */
const OWNER = { name: "stdio", connection: "stdio", realm: "stdio" };

/** Serves MCP over stdio, both eras, until the client is gone. */
export async function serveStdio(
  broker: ClientSide,
  pools: McpPools,
  settings: ServerSettings,
  codeMode?: CodeModeParts,
  contracts?: Contracts,
): Promise<void> {
  const closed = Promise.withResolvers<void>();
  const host = new McpHost(broker, pools, settings, codeMode, contracts);
  await host.addTelemetry();
  if (settings.savesSessions) {
    broker.onShutdown = () => host.sessions.close();
  }
  let server: Server | undefined;
  host.onToolsChanged = () => server?.sendToolListChanged().catch(() => {});
  host.onResourcesChanged = () =>
    server?.sendResourceListChanged().catch(() => {});
  serveTransport(() => server = host.createServer(OWNER), {
    transport: new StdioTransport(broker, closed.resolve),
    onerror: ({ message }) =>
      broker.log.write("warning", "client", { error: head(message, 1000) }),
  });
  await closed.promise;
  host.runs.close("the client is gone");
}
