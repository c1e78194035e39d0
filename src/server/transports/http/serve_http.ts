import { messageOf } from "../../../errors.ts";
import type {
  HttpSettings,
  ServerSettings,
} from "../../../protocol/server_settings.ts";
import type { BrokerLine } from "../../broker_line.ts";
import { McpHost, type McpPools } from "../../mcp_host.ts";
import { Callers } from "./callers.ts";
import { McpEndpoint } from "./endpoint.ts";
import { toHandler } from "./handler.ts";
import { listen, type Listener } from "./listener.ts";

/** Serves MCP over HTTP, both eras, until the launcher wants no more. */
export async function serveHttp(
  broker: BrokerLine,
  pools: McpPools,
  settings: ServerSettings,
): Promise<void> {
  const http = needHttp(settings);
  const host = new McpHost(broker, pools, settings);
  const endpoint = new McpEndpoint(host, http, broker.log);
  pools.onInstalled = () => endpoint.tellToolsChanged();
  host.onResourcesChanged = (owner) => endpoint.tellResourcesChanged(owner);
  const handler = toHandler(http, { callers: new Callers(http), endpoint });
  let listener: Listener;
  try {
    listener = await listen(http, handler);
  } catch (error) {
    await broker.tellListening({ error: messageOf(error) });
    return;
  }
  await broker.tellListening({ url: listener.url.href });
  broker.onShutdown = async () => {
    await listener.close();
    await host.sessions.close();
  };
  await broker.eof;
  host.runs.close();
}

function needHttp({ http }: ServerSettings): HttpSettings {
  if (http) return http;
  throw new TypeError("The settings name no address to listen on");
}
