import { assert, assertEquals } from "../../../deps/assert.ts";
import { type Call, callNoop, callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import type { Memory } from "../usage.ts";
import { measureMemory } from "./memory.ts";
import { findPython, measurePlainPython } from "./plain_python.ts";
import { inParallel } from "./sustained.ts";

const ROUNDS = 40;
const ROW = 200;
const HEAVY_ROUNDS = 5;
const STARTS = 7;
const WARM_UP = 30;
/** Calls of each lane that count for the runs a second. */
const RUNS = { monty: 1000, rewound: 150, fresh: 30 };

const ADDITIONS = `total = 0
for i in range(1_000_000):
    total += i
total`;
const SUM = 499_999_500_000;

/** The engine Monty, beside Pyodide, a tool that does nothing, and `python3`. */
export interface MontyFigures {
  /** Calls that find all idle, and calls that follow the last answer at once. */
  calls: Record<Served | "noop", { idle: number[]; row: number[] }>;
  runsASecond: Record<Served, number>;
  additions: Record<"monty" | "rewound", number[]> & { python: number[] };
  /** From the start of the command to its first result. */
  starts: Record<"monty" | "rewound", number[]>;
  /** `python3 -c`, from start to end; none where there is no `python3`. */
  python: number[];
  /** Of a ready sandbox process. */
  memory: Record<Served, Memory | undefined>;
}

type Served = keyof typeof ENGINES;

const ENGINES = {
  monty: { args: ["--engine", "monty"], call: callRun },
  rewound: { args: [], call: callPython },
  fresh: { args: ["--fresh", "always"], call: callPython },
} as const satisfies Record<string, { args: string[]; call: Call }>;

/** Measures all in rounds, so that noise of the machine meets all alike. */
export async function measureMonty(): Promise<MontyFigures> {
  const python = await findPython();
  const runsASecond = {
    monty: await measureRate("monty"),
    rewound: await measureRate("rewound"),
    fresh: await measureRate("fresh"),
  };
  return {
    runsASecond,
    ...await measureCalls(),
    additions: await measureAdditions(python),
    starts: await measureStarts(),
    python: python === undefined
      ? []
      : await times(STARTS, async () =>
        (await measurePlainPython(python)).wallMs),
  };
}

async function callRun(
  server: McpPeer,
  number: number,
  code = `${number} + 1`,
  value = number + 1,
): Promise<void> {
  const { structuredContent } = await server.callTool("run", { code });
  assertEquals(structuredContent, { output: "", result: { Int: value } });
}

async function start(served: Served, more: string[] = []): Promise<McpPeer> {
  const { args } = ENGINES[served];
  const server = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...args, ...more]);
  await server.connect();
  return server;
}

async function measureCalls(): Promise<Pick<MontyFigures, "calls" | "memory">> {
  await using noop = McpPeer.startNoop();
  await noop.connect();
  await using monty = await start("monty");
  await using rewound = await start("rewound");
  await using fresh = await start("fresh");
  const all = {
    noop: { server: noop, call: callNoop as Call },
    monty: { server: monty, call: ENGINES.monty.call as Call },
    rewound: { server: rewound, call: callPython as Call },
    fresh: { server: fresh, call: callPython as Call },
  };
  const timesOf = () => ({ idle: [] as number[], row: [] as number[] });
  const calls = {
    ...{ noop: timesOf(), monty: timesOf() },
    ...{ rewound: timesOf(), fresh: timesOf() },
  };
  const kinds = Object.keys(calls) as (keyof typeof calls)[];
  for (const kind of kinds) {
    const { server, call } = all[kind];
    for (let number = 0; number < WARM_UP; number++) await call(server, number);
    await untilIdle(server.pid);
  }
  for (let number = 0; number < ROUNDS; number++) {
    for (const kind of kinds) {
      const { server, call } = all[kind];
      calls[kind].idle.push(await clock(() => call(server, number)));
      await untilIdle(server.pid);
    }
  }
  const sandboxOf = ({ server }: { server: McpPeer }) =>
    measureMemory(server.pid).find(({ name }) => name === "sandbox");
  const memory = {
    monty: sandboxOf(all.monty),
    rewound: sandboxOf(all.rewound),
    fresh: sandboxOf(all.fresh),
  };
  for (const kind of kinds) {
    const { server, call } = all[kind];
    calls[kind].row = await times(ROW, () => clock(() => call(server, 1)));
  }
  return { calls, memory };
}

/** As many runs at once as there are cores. */
async function measureRate(served: Served): Promise<number> {
  const cores = navigator.hardwareConcurrency;
  const size = String(cores);
  const pool = [`+pool=${size}`, "--max-concurrency", size];
  await using server = await start(served, pool);
  const call = (number: number) => ENGINES[served].call(server, number);
  await inParallel(cores, cores * WARM_UP, call);
  await untilIdle(server.pid);
  return await inParallel(cores, cores * RUNS[served], call);
}

async function measureAdditions(
  python: string | undefined,
): Promise<MontyFigures["additions"]> {
  await using monty = await start("monty");
  await using pyodide = await start("rewound");
  const additions = { monty: [], rewound: [], python: [] } as Record<
    "monty" | "rewound" | "python",
    number[]
  >;
  for (let round = 0; round <= HEAVY_ROUNDS; round++) {
    const took = {
      monty: await clock(() => callRun(monty, 0, ADDITIONS, SUM)),
      rewound: await clock(async () => {
        const { structuredContent } = await pyodide.callTool(
          "run_python_code",
          { python_code: ADDITIONS },
        );
        assertEquals({ ...Object(structuredContent) }.return_value, SUM);
      }),
      ...(python === undefined ? {} : { python: await addInPython(python) }),
    };
    // The first compiles, and does not count.
    if (round === 0) continue;
    for (const [name, ms] of Object.entries(took)) {
      additions[name as keyof typeof took].push(ms);
    }
  }
  return additions;
}

/** On Python's own clock, in a function's place: at the top of a module, as ours. */
async function addInPython(python: string): Promise<number> {
  const code = `import time
started = time.perf_counter()
${ADDITIONS}
print((time.perf_counter() - started) * 1000, total)`;
  const { stdout } = await new Deno.Command(python, {
    args: ["-c", code],
    stderr: "inherit",
  }).output();
  const [ms, sum] = new TextDecoder().decode(stdout).split(" ").map(Number);
  assertEquals(sum, SUM);
  assert(ms);
  return ms;
}

async function measureStarts(): Promise<MontyFigures["starts"]> {
  const starts = { monty: [] as number[], rewound: [] as number[] };
  for (let round = 0; round < STARTS; round++) {
    for (const served of ["monty", "rewound"] as const) {
      await using server = await start(served);
      await ENGINES[served].call(server, 1);
      starts[served].push(server.ageMs);
    }
  }
  return starts;
}

async function clock(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  while (all.length < count) all.push(await work());
  return all;
}
