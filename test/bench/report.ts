/**
 * From what was measured to the tables that are printed.
 *
 * @module
 */
import type { ColdSample } from "./figures/cold.ts";
import type { Further } from "./figures/further.ts";
import type { Heavy, Skipped } from "./figures/heavy.ts";
import type { Installs } from "./figures/installs.ts";
import type { Preparing } from "./figures/preparing.ts";
import type { ProcessMemory } from "./figures/memory.ts";
import { medianCpu, medianWall, type Sample } from "./figures/sample.ts";
import type { Calls, WarmCalls } from "./figures/warm_calls.ts";
import type { Held, IdleSessions } from "./figures/sessions.ts";
import { KINDS, type Kinds } from "./mappings.ts";
import { maybeMean, median, percentile } from "./statistics.ts";
import { toTable } from "./table.ts";
import { toMemory, toRatio, toRatioAtLeast, toTime } from "./units.ts";
import type { Memory } from "./usage.ts";

/** The project's aims, as multiples of a baseline. */
const AIMS = {
  initialize: 4,
  firstResult: 1 / 7,
  warmCall: 20,
  /** With packages, beside none. */
  warmStart: 1.2,
  heavy: 1.05,
  /** Beside `--fresh always`. */
  rate: 5,
  memory: 0.7,
} as const;

/** Samples of each kind of start. */
export interface Starts {
  bare: Sample[];
  noop: Sample[];
  initialize: Sample[];
  cold: ColdSample[];
  firstResult: Sample[];
}

/** From the start of a process to its answer. */
export function startsReport(starts: Starts): string {
  const bare = summarize(starts.bare);
  const cold = summarize(starts.cold);
  const row = (
    name: string,
    { wall, cpu }: Start,
    baseline?: Start,
    aims: { wall?: number; cpu?: number } = {},
  ) => [
    name,
    toTime(wall),
    toTime(cpu),
    ...(baseline
      ? [
        toRatio(wall, baseline.wall, aims.wall),
        toRatio(cpu, baseline.cpu, aims.cpu),
      ]
      : []),
  ];
  return toTable([
    `from start, ${starts.bare.length} rounds`,
    "wall, median",
    "CPU, mean",
    "wall : baseline",
    "CPU : baseline",
  ], [
    row("baseline: empty file has run", bare),
    row("(no-op server: initialize answered)", summarize(starts.noop), bare),
    row("**initialize answered**", summarize(starts.initialize), bare, {
      wall: AIMS.initialize,
    }),
    row("baseline: result of cold Pyodide", cold),
    row("**first result**", summarize(starts.firstResult), cold, {
      wall: AIMS.firstResult,
      cpu: AIMS.firstResult,
    }),
  ]);
}

interface Start {
  wall: number;
  cpu: number | undefined;
}

function summarize(samples: Sample[]): Start {
  return {
    wall: median(samples.map(({ wallMs }) => wallMs)),
    cpu: maybeMean(samples.map(({ cpuMs }) => cpuMs)),
  };
}

/** Installs, and starts of what was installed. */
export function installsReport({ cold, warm }: Installs): string {
  const plain = median(warm.plain);
  const start = (name: string, times: number[], aim?: number) => [
    name,
    times.length > 0 ? toTime(median(times)) : "n/a",
    times.length > 0 ? toRatio(median(times), plain, aim) : "",
  ];
  const rows = "reason" in cold
    ? [[`install of pydantic, rich: skipped: ${cold.reason}`, "n/a", ""]]
    : [
      ["install of pydantic, rich", toTime(cold.allMs), ""],
      ["– of that, network", toTime(cold.allMs - cold.withoutNetworkMs), ""],
    ];
  return toTable(
    [`installs, ${warm.plain.length} starts each`, "wall, median", "ratio"],
    [
      ...rows,
      start("baseline: first result without packages", warm.plain),
      start("**first result with pydantic, rich**", warm.real, AIMS.warmStart),
      start("**first result with 30 packages**", warm.many, AIMS.warmStart),
    ],
  );
}

/** Heavy programs, beside a cold Pyodide and `python3`. */
export function heavyReport(programs: (Heavy | Skipped)[]): string {
  const rows = programs.map((program) => {
    if ("reason" in program) {
      return [`${program.name}: skipped: ${program.reason}`];
    }
    const { name, ours, cold, python } = program;
    return [
      name,
      toTime(medianWall(ours)),
      toTime(medianWall(cold)),
      toRatio(medianWall(ours), medianWall(cold), AIMS.heavy),
      toRatio(medianCpu(ours), medianCpu(cold), AIMS.heavy),
      toRatio(medianWall(ours), medianWall(python)),
    ];
  });
  return toTable([
    "heavy programs, medians",
    "ours",
    "baseline: cold Pyodide",
    "wall : baseline",
    "CPU : baseline",
    "wall : python3",
  ], rows);
}

/** Calls in a server that is up. */
export function callsReport({ paced, rushed }: WarmCalls): string {
  const row = (name: string, { wallMs, cpuMs }: Calls, ...ratios: string[]) => [
    `${name}, ${wallMs.length} calls`,
    toTime(median(wallMs)),
    toTime(percentile(wallMs, 0.95)),
    toTime(cpuMs),
    ...ratios,
  ];
  const ratio = (ours: Calls, noop: Calls, aim?: number) =>
    toRatio(median(ours.wallMs), median(noop.wallMs), aim);
  return toTable([
    "call over stdio",
    "p50",
    "p95",
    "CPU",
    "p50 : no-op when idle",
    "p50 : no-op in a row",
  ], [
    row("baseline: no-op when idle", paced.noop),
    row("baseline: no-op in a row", rushed.noop),
    row(
      "**run_python_code** when idle",
      paced.ours,
      ratio(paced.ours, paced.noop, AIMS.warmCall),
      ratio(paced.ours, rushed.noop, AIMS.warmCall),
    ),
    row("**run_python_code** in a row", rushed.ours),
  ]);
}

/** What rewinding spares, beside an interpreter that is made for each run. */
export function rewindingReport(rewound: Rewinding, fresh: Rewinding): string {
  const memory = ({ calls }: Rewinding) =>
    total(calls.memory.afterCalls)?.resident;
  const p50 = (of: "paced" | "rushed") => ({ calls }: Rewinding) =>
    median(calls[of].ours.wallMs);
  const rate = ({ preparing }: Rewinding) => 1000 / preparing.wallMs;
  const row = <T extends number | undefined>(
    name: string,
    of: (one: Rewinding) => T,
    show: (value: T) => string,
    ratio: (ours: T, baseline: T) => string,
  ) => [
    name,
    show(of(rewound)),
    show(of(fresh)),
    ratio(of(rewound), of(fresh)),
  ];
  return toTable(["beside --fresh always", "rewound", "fresh", "ratio"], [
    row("CPU of a clean run", (one) => one.preparing.cpuMs, toTime, toRatio),
    row("call when idle, p50", p50("paced"), toTime, toRatio),
    row("call in a row, p50", p50("rushed"), toTime, toRatio),
    row(
      "runs in a row, a second",
      rate,
      (value) => value.toFixed(1),
      (ours, other) => toRatioAtLeast(ours, other, AIMS.rate),
    ),
    row(
      "memory after calls, all processes",
      memory,
      toMemory,
      (ours, other) => toRatio(ours, other, AIMS.memory),
    ),
  ]);
}

interface Rewinding {
  calls: WarmCalls;
  preparing: Preparing;
}

/** Memory of each process, and of all together. */
export function memoryReport(
  { ready, afterCalls }: WarmCalls["memory"],
  cold: ColdSample[],
): string {
  const baseline = cold.at(-1)?.memory;
  const row = (name: string, memory?: Partial<Memory>, ratio = "") => [
    name,
    toMemory(memory?.resident),
    toMemory(memory?.share),
    memory && memory.peak === undefined ? "" : toMemory(memory?.peak),
    ratio,
  ];
  const rows = (when: string, processes: ProcessMemory[]) => {
    const all = total(processes);
    return [
      ...processes.map((one) => row(`${when}: ${one.name}`, one)),
      row(
        `**${when}: all**`,
        all,
        toRatio(all?.resident, baseline?.resident),
      ),
    ];
  };
  return toTable(
    ["memory", "resident", "share", "peak", "resident : baseline"],
    [
      row("baseline: cold Pyodide", baseline),
      ...rows("ready", ready),
      ...rows("after calls", afterCalls),
    ],
  );
}

/** Sessions without a call. */
export function sessionsReport(idle: IdleSessions | undefined): string {
  const row = (name: string, held: Held | undefined) => [
    name,
    toTime(held?.cpuMs),
    toMemory(held?.resident),
    toMemory(held?.share),
  ];
  return toTable(
    ["idle sessions, all processes", "CPU a second", "resident", "share"],
    [
      row("no session", idle?.without),
      row(`${idle?.sessions ?? "many"} sessions`, idle?.with),
    ],
  );
}

/** One process of each kind, by kinds of memory: the median of the rounds. */
export function kindsReport(rounds: Further[]): string {
  const cell = (of: keyof Further, valueOf: (kinds: Kinds) => number) => {
    const values = rounds.flatMap((round) => round[of].kinds ?? []).map(
      valueOf,
    );
    return toMemory(values.length > 0 ? median(values) : undefined);
  };
  const row = (name: string, valueOf: (kinds: Kinds) => number) => [
    name,
    cell("ours", valueOf),
    cell("cold", valueOf),
    cell("empty", valueOf),
  ];
  const all = (kinds: Kinds) =>
    Object.values(kinds).reduce((sum, one) => sum + one, 0);
  return toTable(
    [
      "memory of one of three, share",
      "ready sandbox",
      "cold Pyodide",
      "empty Deno, its worker",
    ],
    [
      ...KINDS.map((kind) => row(kind, (kinds) => kinds[kind])),
      row("**all**", all),
    ],
  );
}

function total(
  processes: ProcessMemory[],
): Pick<Memory, "resident" | "share"> | undefined {
  if (processes.length === 0) return undefined;
  const sum = (values: number[]) => values.reduce((all, one) => all + one, 0);
  const shares = processes.flatMap(({ share }) => share ?? []);
  return {
    resident: sum(processes.map(({ resident }) => resident)),
    share: shares.length === processes.length ? sum(shares) : undefined,
  };
}
