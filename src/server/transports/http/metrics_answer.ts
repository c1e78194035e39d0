import { toMetrics } from "../../metrics.ts";
import { OPEN_METRICS, toOpenMetrics } from "../../open_metrics.ts";
import type { Watch } from "../../watch.ts";

export function toMetricsAnswer(watch: Watch): Response {
  const headers = { "content-type": OPEN_METRICS };
  return new Response(toOpenMetrics(toMetrics(watch)), { headers });
}
