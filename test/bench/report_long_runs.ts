import type { LongRunsFigures } from "./figures/long_runs.ts";
import { median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toRatio, toTime } from "./units.ts";

/** The project's aim for a poll, as a multiple of a no-op. */
const AIM_OF_POLL = 1.5;

/** Calls, then the runs of two callers at a time. */
export function longRunsReport(
  { calls, crowd }: LongRunsFigures,
): string[] {
  const { noop, plain, within, poll } = calls;
  const row = (name: string, ms: number[], ratio = "") => [
    ...[name, toTime(median(ms)), toTime(percentile(ms, 0.95)), ratio],
  ];
  const ratio = (ms: number[], base: number[], aim?: number) =>
    toRatio(median(ms), median(base), aim);
  return [
    toTable(["call over stdio", "p50", "p95", "p50 : baseline"], [
      row("baseline: no-op", noop),
      row("poll of a run: `get_run`", poll, ratio(poll, noop, AIM_OF_POLL)),
      row("baseline: call without `wait`", plain),
      row("call that ends within `wait`", within, ratio(within, plain, 1.05)),
    ]),
    toTable(
      [
        "200 runs of two callers",
        ...["time", "share of the later caller in the first half"],
        "out of order",
      ],
      (["plain", "detached"] as const).map((kind) => [
        kind === "plain" ? "baseline: calls that wait" : "detached runs",
        toTime(crowd[kind].ms),
        `${Math.round(100 * crowd[kind].shareOfLast)} %`,
        String(crowd[kind].outOfOrder),
      ]),
    ),
  ];
}
