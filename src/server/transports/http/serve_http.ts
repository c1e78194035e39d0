import { isOverWithin } from "../../../deadline.ts";
import { messageOf } from "../../../errors.ts";
import {
  type ServerSettings,
  waitsMs,
} from "../../../protocol/server_settings.ts";
import type { BrokerLine } from "../../broker_line.ts";
import type { CodeModeParts } from "../../code_mode/code_mode.ts";
import type { Contracts } from "../../contracts/contracts.ts";
import { McpHost, type McpPools } from "../../mcp_host.ts";
import { toMetrics } from "../../metrics.ts";
import { OPEN_METRICS, toOpenMetrics } from "../../open_metrics.ts";
import { Watch, type Watched } from "../../watch.ts";
import { metadataRoutes, openCallers } from "./callers/callers.ts";
import { observed, type Routes, toHandler } from "./handler.ts";
import { Admission } from "./limits/admission.ts";
import { CallPlaces } from "./limits/call_places.ts";
import { exchangeOf, untilTaken } from "./listener/exchange.ts";
import { listen, type Listener } from "./listener/listener.ts";
import { McpEndpoint } from "./mcp/endpoint.ts";
import { pageRoutes } from "./routes/page.ts";
import { probeRoutes } from "./routes/probes.ts";

/** Time for clients to take the answers of calls that have ended. */
const LAST_ANSWERS_MS = 1000;

/** Serves MCP over HTTP, both eras, until the launcher wants no more. */
export async function serveHttp(
  broker: BrokerLine,
  pools: McpPools & Watched["pools"],
  settings: ServerSettings,
  codeMode?: CodeModeParts,
  contracts?: Contracts,
): Promise<void> {
  const { http } = settings;
  if (!http) throw new TypeError("The settings name no address to listen on");
  const host = new McpHost(broker, pools, settings, codeMode, contracts);
  const { sessions, shares } = host;
  host.lasting.onWait = (request, answer) => {
    if (!request) return;
    const exchange = exchangeOf(request);
    exchange.answerSoon = answer;
    // A request of an MCP session outlives its connection, and has no place then.
    void exchange.ended.then(answer);
  };
  host.reads.reserve = async (request, bytes) => {
    if (request) await exchangeOf(request).reserve(bytes);
  };
  host.reads.taken = async (request, bytes) => {
    if (request) await untilTaken(exchangeOf(request), bytes);
  };
  const watch = new Watch(settings, { pools, sessions, shares, broker });
  host.runs.addWatcher(watch);
  await host.addTelemetry();
  const places = new CallPlaces(shares.places, host.calls, {
    sizes: settings.pool,
    retrySeconds: () => pools.retrySeconds,
  });
  const endpoint = new McpEndpoint(host, places, http, broker.log);
  const admission = new Admission(http, shares.requests);
  host.onToolsChanged = () => endpoint.tellToolsChanged();
  host.onResourcesChanged = (owner) => endpoint.tellResourcesChanged(owner);
  const identify = await openCallers(http);
  const routes: Routes = {
    open: {
      ...probeRoutes(watch),
      ...metadataRoutes(http),
      ...pageRoutes(http),
    },
    forCallers: {
      "/metrics"() {
        const headers = { "content-type": OPEN_METRICS };
        return new Response(toOpenMetrics(toMetrics(watch)), { headers });
      },
      // The figures of the page's live view.
      "/status"(_, { name }) {
        const headers = { "cache-control": "no-store" };
        return Response.json(watch.snapshot(name), { headers });
      },
      [http.httpPath]: (request, caller) => endpoint.answer(request, caller),
    },
  };
  watch.routes = [
    ...Object.keys(routes.forCallers),
    "/healthz",
    "/readyz",
    "/",
  ];
  const handler = observed(toHandler(http, { identify, admission }, routes), {
    watch,
    log: broker.log,
    audit: broker.audit,
    runs: host.runs,
    lines: shares.refusals,
  });
  let listener: Listener;
  try {
    listener = await listen(http, handler, shares);
  } catch (error) {
    return await broker.tellListening({ error: messageOf(error) });
  }
  broker.onReload = ({ tokens = http.tokens, tls }) => {
    if (tls) listener.setTls(tls);
    const isGood = ({ name }: { name: string }) =>
      tokens.some((one) => one.name === name);
    const revoked = http.tokens.filter((one) => !isGood(one));
    http.tokens = tokens;
    // Streams on which they listen; calls under way are answered.
    for (const connection of shares.connections.items) {
      const [name] = connection.caller.split("/");
      const isRevoked = revoked.some((one) => one.name === name);
      if (isRevoked && connection.rest?.() !== "used") connection.giveWay?.();
    }
  };
  broker.followSignals();
  await broker.tellListening({ url: listener.url.href });
  broker.log.write("info", "listening", { url: listener.url.href });
  const { drainWaitSeconds, shutdownWaitSeconds } = http;
  const { hurried } = broker;
  broker.shutdownMs += waitsMs(http);
  broker.onShutdown = async () => {
    watch.isEnding = true;
    // Balancers see it by /readyz, and send their calls elsewhere.
    await isOverWithin(hurried, drainWaitSeconds * 1000);
    admission.isEnding = true;
    listener.stop();
    const done = Promise.race([host.calls.none(), hurried]);
    await isOverWithin(done, shutdownWaitSeconds * 1000);
    host.cancelRuns();
    await isOverWithin(host.calls.none(), LAST_ANSWERS_MS);
    host.runs.close("the server ends");
    const saved = host.sessions.close();
    // The last answers are about to be sent.
    await new Promise((resolve) => setTimeout(resolve));
    await endpoint.close();
    await isOverWithin(admission.answered(), LAST_ANSWERS_MS);
    await Promise.all([listener.close(), saved]);
  };
  await broker.eof;
}
