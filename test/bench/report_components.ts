import type { ComponentFigures } from "./figures/components.ts";
import { median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toMemory, toRatio, toTime } from "./units.ts";

/** The project's aims for components, as multiples of a baseline. */
const AIMS = { call: 4, fromPython: 5 } as const;

const NAMES = {
  noop: "baseline: no-op",
  kept: "**a component's function**, its instance kept",
  fresh: "– a fresh instance for each call",
} as const;

/** Calls; then all else that is measured of components. */
export function componentsReport(figures: ComponentFigures): string[] {
  const { calls, fromPython, fromJavaScript, starts, first, memory } = figures;
  const ratio = (kind: keyof typeof NAMES, of: "idle" | "row") =>
    toRatio(
      median(calls[kind][of]),
      median(calls.noop[of]),
      kind === "noop" ? undefined : AIMS.call,
    );
  const kinds = ["noop", "kept", "fresh"] as const;
  return [
    toTable([
      "call over stdio",
      ...["idle, p50", "p95", "p50 : no-op"],
      ...["in a row, p50", "p95", "p50 : no-op"],
    ], [
      ...kinds.map((kind) => [
        NAMES[kind],
        ...(["idle", "row"] as const).flatMap((of) => [
          toTime(median(calls[kind][of])),
          toTime(percentile(calls[kind][of], 0.95)),
          kind === "noop" ? "" : ratio(kind, of),
        ]),
      ]),
    ]),
    toTable(["components", "figure", "beside", "ratio"], [
      [
        "call from Python, p50; from JavaScript, to the process and back",
        toTime(median(fromPython)),
        toTime(median(fromJavaScript)),
        toRatio(median(fromPython), median(fromJavaScript), AIMS.fromPython),
      ],
      [
        "start to first result, p50: with 10 components; without",
        toTime(median(starts.with)),
        toTime(median(starts.without)),
        toRatio(median(starts.with), median(starts.without)),
      ],
      [
        "first call of a component: translated before; translated now",
        toTime(first.kept),
        toTime(first.translated),
        "",
      ],
      ["memory of a component's process, resident", toMemory(memory?.resident)],
    ]),
  ];
}
