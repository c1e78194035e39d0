import { assert, assertEquals } from "../../../deps/assert.ts";
import { startComponentProcess } from "../../support/component_process.ts";
import { tempFolder } from "../../support/folder.ts";
import { writeGuest } from "../../support/guests.ts";
import { callNoop } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import type { Memory } from "../usage.ts";
import { measureMemory } from "./memory.ts";

const ROUNDS = 40;
const ROW = 200;
const WARM_UP = 30;
const STARTS = 7;
const COMPONENTS = 10;
/** Calls of one run of Python. */
const PYTHON_CALLS = 300;

/** Components, beside a tool that does nothing, and a server without any. */
export interface ComponentFigures {
  /** Calls that find all idle, and calls that follow the last answer at once. */
  calls: Record<Called, { idle: number[]; row: number[] }>;
  /** A call of the same function: from Python, and from JavaScript of the host. */
  fromPython: number[];
  fromJavaScript: number[];
  /** From the start of the command to its first result of Python. */
  starts: Record<"with" | "without", number[]>;
  /** From the first call of a component's first start, and of a later one. */
  first: { translated: number; kept: number };
  memory: Memory | undefined;
}

type Called = "noop" | "fresh" | "kept";

export async function measureComponents(): Promise<ComponentFigures> {
  await using folder = await tempFolder();
  const file = await writeGuest("types", folder.path);
  const kept = `${folder.path}/kept.yaml`;
  await Deno.writeTextFile(kept, 'version: "1.0"\nx-instance: kept\n');
  const state = ["--state-dir", `${folder.path}/state`];
  const args = [
    ...McpPeer.CACHE_ARGS,
    ...state,
    ...["--wasm", `fresh=${file}`, "--wasm", `kept=${file}@${kept}`],
  ];
  return {
    first: await measureFirst(file, folder.path),
    ...await measureCalls(args),
    fromJavaScript: await measureJavaScript(file, folder.path),
    starts: await measureStarts(file, state),
  };
}

async function measureCalls(
  args: string[],
): Promise<Pick<ComponentFigures, "calls" | "memory" | "fromPython">> {
  await using noop = McpPeer.startNoop();
  await noop.connect();
  await using ours = McpPeer.startOurs(args);
  await ours.connect();
  const all = {
    noop: { server: noop, call: (number: number) => callNoop(noop, number) },
    fresh: {
      server: ours,
      call: (number: number) => add(ours, "fresh", number),
    },
    kept: { server: ours, call: (number: number) => add(ours, "kept", number) },
  };
  const timesOf = () => ({ idle: [] as number[], row: [] as number[] });
  const calls = { noop: timesOf(), fresh: timesOf(), kept: timesOf() };
  const kinds = Object.keys(calls) as Called[];
  for (const kind of kinds) {
    const { server, call } = all[kind];
    for (let number = 0; number < WARM_UP; number++) await call(number);
    await untilIdle(server.pid);
  }
  for (let number = 0; number < ROUNDS; number++) {
    for (const kind of kinds) {
      const { server, call } = all[kind];
      calls[kind].idle.push(await clock(() => call(number)));
      await untilIdle(server.pid);
    }
  }
  for (const kind of kinds) {
    calls[kind].row = await times(ROW, () => clock(() => all[kind].call(1)));
  }
  const memory = measureMemory(ours.pid)
    .find(({ name }) => name === "component");
  return { calls, memory, fromPython: await measurePython(ours) };
}

async function add(
  server: McpPeer,
  name: string,
  number: number,
): Promise<void> {
  const told = await server.callTool(`${name}__primitives__add_two`, {
    "first_number": number,
    "second_number": 1,
  });
  assertEquals(told.structuredContent, { result: number + 1 });
}

/** On Python's own clock, a call after another. */
async function measurePython(server: McpPeer): Promise<number[]> {
  const code = `import time
from components import kept
add = kept.primitives__add_two
times = []
for number in range(${PYTHON_CALLS}):
    started = time.perf_counter()
    assert add(first_number=number, second_number=1) == number + 1
    times.append((time.perf_counter() - started) * 1000)
times`;
  const { structuredContent } = await server.callTool("run_python_code", {
    "python_code": code,
  });
  const { return_value: all } = { ...Object(structuredContent) };
  assert(Array.isArray(all) && all.length === PYTHON_CALLS);
  return all.slice(WARM_UP).map(Number);
}

/** The same without Python and server: from this program to the worker and back. */
async function measureJavaScript(
  file: string,
  cacheDir: string,
): Promise<number[]> {
  await using running = startComponentProcess(file, {
    cacheDir,
    grants: { instance: "kept" },
  });
  const all: number[] = [];
  for (let number = 0; number < PYTHON_CALLS; number++) {
    all.push(
      await clock(async () => {
        const told = await running.call("primitives__add_two", {
          "first_number": number,
          "second_number": 1,
        });
        assertEquals(told.structuredContent, { result: number + 1 });
      }),
    );
  }
  return all.slice(WARM_UP);
}

async function measureFirst(
  file: string,
  folder: string,
): Promise<ComponentFigures["first"]> {
  const cacheDir = `${folder}/first`;
  const once = async () => {
    await using running = startComponentProcess(file, { cacheDir });
    return await clock(async () => {
      await running.call("primitives__give_bool", { value: true });
    });
  };
  return { translated: await once(), kept: await once() };
}

async function measureStarts(
  file: string,
  state: string[],
): Promise<ComponentFigures["starts"]> {
  const components = Array.from(
    { length: COMPONENTS },
    (_, at) => ["--wasm", `c${at}=${file}`],
  ).flat();
  const start = async (args: string[]) => {
    await using server = McpPeer.startOurs([
      ...McpPeer.CACHE_ARGS,
      ...args,
    ]);
    await server.connect();
    const { structuredContent } = await server.callTool("run_python_code", {
      "python_code": "1 + 1",
    });
    assertEquals({ ...Object(structuredContent) }.return_value, 2);
    return server.ageMs;
  };
  const starts: ComponentFigures["starts"] = { with: [], without: [] };
  for (let round = 0; round <= STARTS; round++) {
    const took = {
      with: await start([...components, ...state]),
      without: await start([]),
    };
    // The first fills caches of the machine, and does not count.
    if (round === 0) continue;
    starts.with.push(took.with);
    starts.without.push(took.without);
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
