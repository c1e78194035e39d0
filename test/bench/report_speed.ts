/**
 * The table of aims, and the baselines beside what a call takes.
 *
 * @module
 */
import type { CodeMode } from "./figures/code_mode.ts";
import type { ColdSample } from "./figures/cold.ts";
import type { Further } from "./figures/further.ts";
import type { Heavy } from "./figures/heavy.ts";
import type { Library } from "./figures/library.ts";
import type { Plot } from "./figures/plot.ts";
import type { Preparing } from "./figures/preparing.ts";
import type { Pydantic } from "./figures/pydantic.ts";
import { medianWall, type Sample } from "./figures/sample.ts";
import type { Saving } from "./figures/saving.ts";
import type { DuringSave } from "./figures/during_save.ts";
import type { StoringFigures } from "./figures/storing.ts";
import type { SessionCalls } from "./figures/sessions.ts";
import type { Sustained } from "./figures/sustained.ts";
import type { WarmCalls } from "./figures/warm_calls.ts";
import { maybeMean, maybeMedian, median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toMemory, toRatio, toRatioAtLeast, toTime } from "./units.ts";

/** Figure, ours, baseline, ratio with its aim. */
export type SpeedRow = [string, string, string, string];

/** The project's aims, as multiples of a baseline. */
const AIMS = {
  warmCall: 8,
  lateCall: 30,
  sessionCall: 6,
  newSession: 2,
  saving: 4,
  storing: 1.3,
  waking: 1.5,
  ending: 1,
  leases: 1,
  preparing: 1 / 250,
  pydantic: 1 / 250,
  sustained: 45,
  firstResult: 1 / 7,
  further: 0.8,
  plot: 1.2,
  resolve: 1 / 9,
  entering: 1 / 4,
  libraryCall: 2,
  downstreamCall: 3,
  gather: 2,
  unusedServers: 1.1,
  codeModeSession: 1.3,
} as const;

/** The table of aims. */
export function speedReport(speed: SpeedRow[]): string {
  return toTable(["speed", "ours", "baseline", "ratio"], speed);
}

/** Rows of that table. */
export const rows = {
  warmCalls({ paced, rushed }: WarmCalls): SpeedRow[] {
    const noops = {
      "no-op when idle": median(paced.noop.wallMs),
      "no-op in a row": median(rushed.noop.wallMs),
    };
    return Object.entries(noops).flatMap(([name, noop]) => [
      timeRow(
        "warm call, clean interpreter, p50",
        median(paced.ours.wallMs),
        noop,
        name,
        AIMS.warmCall,
      ),
      timeRow(
        "– p95",
        percentile(paced.ours.wallMs, 0.95),
        noop,
        name,
        AIMS.lateCall,
      ),
    ]);
  },

  sessionCalls({ noop, warm, opening }: SessionCalls): SpeedRow[] {
    return [
      timeRow(
        "warm call of a session, p50",
        median(warm),
        median(noop),
        "no-op when idle",
        AIMS.sessionCall,
      ),
      timeRow(
        "a call that opens a session, p50",
        median(opening),
        median(warm),
        "warm call of a session",
        AIMS.newSession,
      ),
    ];
  },

  saving({ bytes, saved, restored, stock }: Saving): SpeedRow[] {
    const row = (name: string, times: number[]) =>
      timeRow(
        `a session of ${toMemory(bytes)} ${name}, ${times.length} rounds`,
        median(times),
        median(stock),
        "the bytes written and read, stock snapshot",
        AIMS.saving,
      );
    return [row("is saved", saved), row("is restored by a call", restored)];
  },

  duringSave({ heldMiB, fresh, session }: DuringSave): SpeedRow[] {
    const row = (name: string, times: DuringSave["fresh"]) =>
      timeRow(
        `${name} during a save of ${heldMiB} MiB, ${times.during.length} calls, p50`,
        ...[median(times.during), median(times.beside)] as const,
        "the same without a save",
        AIMS.storing,
      );
    return [row("a call", fresh), row("a call of another session", session)];
  },

  storing(figures: StoringFigures): SpeedRow[] {
    const { withStore, withoutStore, ending, waking, leases } = figures;
    return [
      timeRow(
        "a call beside sessions that are stored, p95",
        ...[withStore, withoutStore] as const,
        "without a store",
        AIMS.storing,
      ),
      timeRow(
        `${ending.sessions} sessions that have just changed are saved at SIGTERM`,
        ...[ending.ms, SAVING_BOUND_MS] as const,
        "the time for it",
        AIMS.ending,
      ),
      timeRow(
        `a call of a session that sleeps, ${waking.known} known, ${waking.awake} awake, p50`,
        ...[median(waking.beside), median(waking.alone)] as const,
        "the same with room for all",
        AIMS.waking,
      ),
      timeRow(
        `CPU a second of signs of life, ${leases.sessions} sessions`,
        Math.max(0, leases.withStore - leases.withoutStore),
        CORE_PERCENT_MS,
        "1 % of a core",
        AIMS.leases,
      ),
    ];
  },

  preparing({ cpuMs, runs }: Preparing, cold: ColdSample[]): SpeedRow {
    return timeRow(
      `CPU of a clean interpreter and its run, ${runs} runs`,
      cpuMs,
      maybeMean(cold.map(({ cpuMs }) => cpuMs)),
      "cold Pyodide",
      AIMS.preparing,
    );
  },

  pydantic(pydantic: Pydantic): SpeedRow {
    if ("reason" in pydantic) {
      return [`with pydantic: skipped: ${pydantic.reason}`, "n/a", "n/a", ""];
    }
    const { ours, cold } = pydantic;
    return timeRow(
      `– that imports pydantic, ${ours.runs} runs`,
      ours.cpuMs,
      maybeMean(cold.map(({ cpuMs }) => cpuMs)),
      "cold, and import",
      AIMS.pydantic,
    );
  },

  plot(plot: Plot): SpeedRow {
    if ("reason" in plot) {
      return [`a plot: skipped: ${plot.reason}`, "n/a", "n/a", ""];
    }
    return timeRow(
      `a plot with matplotlib, its PNG back, ${plot.shown.length} calls, p50`,
      median(plot.shown),
      median(plot.kept),
      "saved and kept",
      AIMS.plot,
    );
  },

  /** The native ratio: how far from native speed Python's own steps are. */
  loop({ name, ours, python }: Heavy): SpeedRow {
    return [
      name,
      toTime(medianWall(ours)),
      `${toTime(medianWall(python))} (python3)`,
      toRatio(medianWall(ours), medianWall(python)),
    ];
  },

  sustained({ cores, ours, cold }: Sustained): SpeedRow {
    return [
      `clean runs a second, ${cores} at once`,
      ours.toFixed(1),
      `${cold.toFixed(2)} (cold Pyodide)`,
      toRatioAtLeast(ours, cold, AIMS.sustained),
    ];
  },

  firstResult(ours: Sample[], cold: Sample[]): SpeedRow {
    return timeRow(
      "start to first result, cached environment",
      median(ours.map(({ wallMs }) => wallMs)),
      median(cold.map(({ wallMs }) => wallMs)),
      "cold Pyodide",
      AIMS.firstResult,
    );
  },

  resolve(ours: Sample[], cold: Sample[]): SpeedRow {
    return timeRow(
      `CPU of an installer that only resolves, ${ours.length} runs`,
      maybeMean(ours.map(({ cpuMs }) => cpuMs)),
      maybeMean(cold.map(({ cpuMs }) => cpuMs)),
      "cold Pyodide",
      AIMS.resolve,
    );
  },

  library(library: Library): SpeedRow[] {
    if ("reason" in library) {
      return [[`the libraries: skipped: ${library.reason}`, "n/a", "n/a", ""]];
    }
    const { one, ten, predecessor, python, typescript } = library;
    const row = (
      name: string,
      times: number[],
      baseline: number[],
      baselineName: string,
      aim?: number,
    ) => timeRow(name, median(times), median(baseline), baselineName, aim);
    const design = "install, then cold Pyodide";
    return [
      row(
        "enter code_sandbox(), first eval",
        one,
        predecessor,
        design,
        AIMS.entering,
      ),
      row("– ten at once, until all are done", ten, one, "one"),
      row(
        "eval of Python's library, p50",
        python,
        typescript,
        "run of TypeScript's",
        AIMS.libraryCall,
      ),
    ];
  },

  codeMode(figures: CodeMode | { reason: string }): SpeedRow[] {
    if ("reason" in figures) {
      return [[`code mode: skipped: ${figures.reason}`, "n/a", "n/a", ""]];
    }
    const { call, gather, start, plainStart, session } = figures;
    return [
      timeRow(
        "a downstream call from Python, p50",
        median(call.ours),
        median(call.direct),
        "the official client",
        AIMS.downstreamCall,
      ),
      timeRow(
        "– 100 at a time, until all are done, p50",
        median(gather.ours),
        median(gather.direct),
        "the official client",
        AIMS.gather,
      ),
      timeRow(
        "first result with 20 servers that are not used, p50",
        median(start.ours),
        median(start.direct),
        "without servers",
        AIMS.unusedServers,
      ),
      timeRow(
        "– the same",
        median(start.ours),
        median(plainStart),
        "without code mode",
      ),
      timeRow(
        "warm call of run_python in a session, p50",
        median(session.ours),
        median(session.direct),
        "run_python_code",
        AIMS.codeModeSession,
      ),
    ];
  },

  further(rounds: Further[]): SpeedRow[] {
    const row = (name: string, key: "resident" | "share"): SpeedRow => {
      const values = (which: keyof Further) =>
        rounds.flatMap((round) => round[which][key] ?? []);
      const of = (which: keyof Further) => maybeMedian(values(which));
      return [
        name,
        toMemory(of("ours")),
        `${toMemory(of("cold"))} (cold Pyodide)`,
        toRatio(of("ours"), of("cold"), AIMS.further),
      ];
    };
    return [
      row("memory of each further ready sandbox, resident", "resident"),
      row("– share", "share"),
    ];
  },
};

/** Time in which a server that ends saves its sessions. */
const SAVING_BOUND_MS = 10_000;
const CORE_PERCENT_MS = 10;

function timeRow(
  name: string,
  ours: number | undefined,
  baseline: number | undefined,
  baselineName: string,
  aim?: number,
): SpeedRow {
  return [
    name,
    toTime(ours),
    `${toTime(baseline)} (${baselineName})`,
    toRatio(ours, baseline, aim),
  ];
}

/** What each call would take otherwise. */
export interface Baselines {
  cold: Sample[];
  /** None, where there is no `python3`. */
  python: Sample[];
  worker: Sample[];
  ours: WarmCalls;
  preparing: Preparing;
}

/** Baselines, and our call as a multiple of each. */
export function baselinesReport(
  { cold, python, worker, ours, preparing }: Baselines,
): string {
  const wall = median(ours.paced.ours.wallMs);
  const row = (name: string, samples: Sample[]) => {
    if (samples.length === 0) return [name, "n/a", "n/a", "n/a", "n/a"];
    const baseline = {
      wall: median(samples.map(({ wallMs }) => wallMs)),
      cpu: maybeMean(samples.map(({ cpuMs }) => cpuMs)),
    };
    return [
      name,
      toTime(baseline.wall),
      toTime(baseline.cpu),
      toRatio(wall, baseline.wall),
      toRatio(preparing.cpuMs, baseline.cpu),
    ];
  };
  return toTable(
    ["per call", "wall, median", "CPU, mean", "ours : wall", "ours : CPU"],
    [
      row("baseline: cold Pyodide", cold),
      row("baseline: `python3 -c`", python),
      row("baseline: bare Deno worker", worker),
      ["**run_python_code**", toTime(wall), toTime(preparing.cpuMs)],
    ],
  );
}
