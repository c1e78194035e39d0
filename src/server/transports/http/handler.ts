import type { HttpSettings } from "../../../protocol/server_settings.ts";
import type { Caller, Callers } from "./callers.ts";
import type { McpEndpoint } from "./endpoint.ts";
import { hostGuard } from "./hosts.ts";
import { OPEN_METRICS, toOpenMetrics } from "../../open_metrics.ts";
import { toMetrics } from "../../metrics.ts";
import type { Watch } from "../../watch.ts";
import { openPage } from "./page.ts";
import { maybeProbe } from "./probes.ts";
import { refuseHttp } from "./refusals.ts";

export type Handler = (request: Request) => Promise<Response>;

/** The order of the walls before MCP. */
export function toHandler(
  settings: HttpSettings,
  { callers, endpoint, watch }: {
    callers: Pick<Callers, "identify">;
    endpoint: Pick<McpEndpoint, "answer">;
    watch: Watch;
  },
): Handler {
  const guardHost = hostGuard(settings);
  const answerPage = openPage(settings);
  return async (request) => {
    const refusal = guardHost(request);
    if (refusal) return refusal;
    const ofPage = await answerPage(request);
    if (ofPage) return ofPage;
    const { pathname } = new URL(request.url);
    const probe = maybeProbe(pathname, watch);
    if (probe) return probe;
    const isMetrics = pathname === "/metrics";
    const isStatus = pathname === "/status";
    if (pathname !== settings.path && !isMetrics && !isStatus) {
      return refuseHttp(
        404,
        `There is nothing at this path: MCP is at ${settings.path}.`,
      );
    }
    const caller = await callers.identify(request);
    if (caller instanceof Response) return caller;
    if (isMetrics) {
      const headers = { "content-type": OPEN_METRICS };
      return new Response(toOpenMetrics(toMetrics(watch)), { headers });
    }
    if (isStatus) return toStatus(watch, caller);
    return await endpoint.answer(request, caller);
  };
}

/** The figures of the page's live view. */
function toStatus(watch: Watch, { name }: Caller): Response {
  return Response.json(watch.snapshot(name), {
    headers: { "cache-control": "no-store" },
  });
}
