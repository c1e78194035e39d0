import type { MontyFigures } from "./figures/monty.ts";
import { maybeMedian, median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toMemory, toRatio, toRatioAtLeast, toTime } from "./units.ts";

/** The project's aims for the engine Monty, as multiples of a baseline. */
const AIMS = { warmCall: 4, freshRuns: 20 } as const;

const NAMES = {
  monty: "**`run` on Monty**",
  rewound: "run_python_code on Pyodide, rewound",
  fresh: "– with `--fresh always`",
  noop: "baseline: no-op",
} as const;

/** Calls; then all else that is measured of Monty. */
export function montyReport(figures: MontyFigures): string[] {
  return [callsTable(figures), othersTable(figures)];
}

function callsTable({ calls, python }: MontyFigures): string {
  const kinds = ["noop", "monty", "rewound", "fresh"] as const;
  const ratio = (kind: typeof kinds[number], of: "idle" | "row") =>
    toRatio(
      median(calls[kind][of]),
      median(calls.noop[of]),
      kind === "monty" ? AIMS.warmCall : undefined,
    );
  return toTable([
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
    ["`python3 -c`, from start to end", toTime(maybeMedian(python))],
  ]);
}

function othersTable(figures: MontyFigures): string {
  const { runsASecond: runs, additions, starts, memory } = figures;
  const { monty, rewound, python } = additions;
  return toTable(
    ["Monty", "Monty", "Pyodide", "ratio", "python3"],
    [
      [
        "runs a second, as many at once as cores; `--fresh always`",
        runs.monty.toFixed(0),
        runs.fresh.toFixed(1),
        toRatioAtLeast(runs.monty, runs.fresh, AIMS.freshRuns),
      ],
      [
        "– beside rewound interpreters",
        runs.monty.toFixed(0),
        runs.rewound.toFixed(1),
        `${(runs.monty / runs.rewound).toFixed(1)}x`,
      ],
      [
        "1,000,000 additions, p50",
        toTime(median(monty)),
        toTime(median(rewound)),
        toRatio(median(monty), median(rewound)),
        toTime(maybeMedian(python)),
      ],
      [
        "start to first result, p50",
        toTime(median(starts.monty)),
        toTime(median(starts.rewound)),
        toRatio(median(starts.monty), median(starts.rewound)),
        toTime(maybeMedian(figures.python)),
      ],
      ...(["resident", "share"] as const).map((kind) => [
        `memory of a sandbox process, ${kind}`,
        toMemory(memory.monty?.[kind]),
        toMemory(memory.rewound?.[kind]),
        toRatio(memory.monty?.[kind], memory.rewound?.[kind]),
      ]),
    ],
  );
}
