import { messageOf } from "../../../errors.ts";
import type {
  HttpSettings,
  ServerSettings,
} from "../../../protocol/server_settings.ts";
import type { BrokerLine } from "../../broker_line.ts";
import { McpHost, type McpPools } from "../../mcp_host.ts";
import { Watch, type Watched } from "../../watch.ts";
import { Callers } from "./callers.ts";
import { McpEndpoint } from "./endpoint.ts";
import { toHandler } from "./handler.ts";
import { listen, type Listener } from "./listener.ts";
import { observed } from "./observed.ts";

/** Serves MCP over HTTP, both eras, until the launcher wants no more. */
export async function serveHttp(
  broker: BrokerLine,
  pools: McpPools & Watched["pools"],
  settings: ServerSettings,
): Promise<void> {
  const http = needHttp(settings);
  const host = new McpHost(broker, pools, settings);
  const watch = new Watch(settings, { pools, sessions: host.sessions });
  host.runs.addWatcher(watch);
  await host.addTelemetry();
  const endpoint = new McpEndpoint(host, http, broker.log);
  watch.countMcpSessions = () => endpoint.mcpSessions;
  pools.onInstalled = () => endpoint.tellToolsChanged();
  const callers = new Callers(http);
  const handler = observed(toHandler(http, { callers, endpoint, watch }), {
    ...{ watch, log: broker.log },
    routes: [http.path, "/healthz", "/readyz", "/metrics", "/status", "/"],
  });
  let listener: Listener;
  try {
    listener = await listen(http, handler);
  } catch (error) {
    await broker.tellListening({ error: messageOf(error) });
    return;
  }
  await broker.tellListening({ url: listener.url.href });
  broker.log.write("info", "listening", { url: listener.url.href });
  broker.onShutdown = async () => {
    watch.isEnding = true;
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
