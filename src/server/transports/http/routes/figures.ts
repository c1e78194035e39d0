import { toMetrics } from "../../../metrics.ts";
import { OPEN_METRICS, toOpenMetrics } from "../../../open_metrics.ts";
import type { Watch } from "../../../watch.ts";
import type { Caller } from "../callers/callers.ts";

export function toMetricsAnswer(watch: Watch): Response {
  const headers = { "content-type": OPEN_METRICS };
  return new Response(toOpenMetrics(toMetrics(watch)), { headers });
}

/** The figures of the page's live view. */
export function toStatusAnswer(watch: Watch, { name }: Caller): Response {
  return Response.json(watch.snapshot(name), {
    headers: { "cache-control": "no-store" },
  });
}
