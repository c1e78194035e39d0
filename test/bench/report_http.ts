import { HTTP_CALLS, type HttpCall, type HttpCalls } from "./figures/http.ts";
import type { SpeedRow } from "./report_speed.ts";
import { median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toRatio, toRatioAtLeast, toTime } from "./units.ts";

/** Beside a no-op of FastMCP in the same number of clients. */
const AIMS = { p50: 1 / 3, perSecond: 3, kept: 1 } as const;

export function httpReport(calls: readonly HttpCalls[]): string {
  return toTable(
    ["calls over HTTP", "clients", "a second", "p50", "p95", "p99", "CPU"],
    calls.map(({ call, clients, perSecond, wallMs, cpuMs }) => [
      ...[HTTP_CALLS[call], String(clients), perSecond.toFixed(0)],
      ...[0.5, 0.95, 0.99].map((share) => toTime(percentile(wallMs, share))),
      toTime(cpuMs),
    ]),
  );
}

/** Rows of the table of aims. */
export function httpRows(calls: readonly HttpCalls[]): SpeedRow[] {
  const counts = [...new Set(calls.map(({ clients }) => clients))];
  const find = (name: HttpCall, count: number) => {
    const found = calls.find(({ call, clients }) =>
      call === name && clients === count
    );
    if (!found) throw new RangeError(`Nothing was measured of ${name}`);
    return found;
  };
  const rate = (
    text: string,
    [call, baseline]: [HttpCall, HttpCall],
    count: number,
    aim: number,
  ) => {
    const [ours, theirs] = [find(call, count), find(baseline, count)];
    return toRow(
      `${text}, clients: ${count}, calls a second`,
      ours.perSecond.toFixed(0),
      theirs.perSecond.toFixed(0),
      toRatioAtLeast(ours.perSecond, theirs.perSecond, aim),
    );
  };
  const noops = ([
    ["no-op over HTTP", ["sessions", "fastmcp"]],
    ["no-op over HTTP, raw client", ["raw", "fastmcpRaw"]],
  ] as const).flatMap(([text, [call, baseline]]) =>
    counts.flatMap((count) => {
      const ours = median(find(call, count).wallMs);
      const theirs = median(find(baseline, count).wallMs);
      return [
        toRow(
          `${text}, clients: ${count}, p50`,
          toTime(ours),
          toTime(theirs),
          toRatio(ours, theirs, AIMS.p50),
        ),
        rate(text, [call, baseline], count, AIMS.perSecond),
      ];
    })
  );
  const most = Math.max(...counts);
  return [
    ...noops,
    rate("1 + 1 in a session", ["kept", "fastmcp"], most, AIMS.kept),
  ];
}

function toRow(
  figure: string,
  ours: string,
  baseline: string,
  ratio: string,
): SpeedRow {
  return [figure, ours, `${baseline} (FastMCP no-op)`, ratio];
}
