import { join } from "node:path";
import { assertEquals } from "../../../deps/assert.ts";
import { getPyodide027 } from "../../support/pyodide_027.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf } from "../usage.ts";
import { startCold } from "./cold.ts";
import { install } from "./installed.ts";
import { findPython } from "./plain_python.ts";
import type { Sample } from "./sample.ts";

/** Its last line is an expression of its value. */
interface Program {
  name: string;
  code: string;
  value: number;
}

/** The program that says how far from native speed Python's own steps are. */
export const LOOP = "a loop of 2,000,000 steps";

const PYDANTIC_PROGRAMS: Program[] = [
  {
    name: LOOP,
    code: `total = 0
for i in range(2_000_000):
    total += i * i % 7
total`,
    value: 3_999_997,
  },
  {
    name: "JSON of 20 MB, written and read",
    code: `import json
rows = [{"id": i, "name": f"name {i}", "tags": ["a", "b", "c"]} for i in range(360_000)]
text = json.dumps(rows)
assert len(text) > 20_000_000
len(json.loads(text))`,
    value: 360_000,
  },
  {
    name: "regular expressions over 10 MB",
    code: `import re
text = "The quick brown fox-42 jumped over 17 dogs; mail fox@example.com.\\n" * 160_000
assert len(text) > 10_000_000
found = re.findall(r"[a-z]+@[a-z]+\\.[a-z]{2,3}", text)
len(found) + re.subn(r"(\\w+)-(\\d+)", r"\\2-\\1", text)[1]`,
    value: 320_000,
  },
  {
    name: "100,000 rows validated by pydantic",
    code: `from pydantic import BaseModel
class User(BaseModel):
    id: int
    name: str
    mail: str | None = None
    tags: list[str] = []
rows = [{"id": str(i), "name": f"n{i}", "tags": ["a", "b"]} for i in range(100_000)]
sum(User.model_validate(row).id for row in rows)`,
    value: 4_999_950_000,
  },
];

const NUMPY_PROGRAMS: Program[] = [{
  name: "products, a sort and sums by numpy",
  code: `import numpy as np
rng = np.random.default_rng(1)
square = rng.random((500, 500))
for _ in range(3): square = square @ square / 100
row = np.sort(rng.random(2_000_000))
int((np.exp(row).cumsum() + np.sin(row)).argmax()) + len(square)`,
  value: 2_000_499,
}];

/** Samples of one program: the CPU time is until its answer. */
export interface Heavy {
  name: string;
  ours: Sample[];
  cold: Sample[];
  /** None, where there is no `python3` with the package. */
  python: Sample[];
}

/** A program without figures. */
export interface Skipped {
  name: string;
  reason: string;
}

/**
 * Heavy programs: ours, a cold Pyodide without V8 flags, and plain Python. Both
 * Pyodides are new in each round and run the programs in the same order.
 */
export async function measureHeavy(
  rounds: number,
): Promise<(Heavy | Skipped)[]> {
  const old = await getPyodide027();
  return [
    ...await measure(rounds, PYDANTIC_PROGRAMS, "pydantic"),
    ...("reason" in old
      ? skip(NUMPY_PROGRAMS, old.reason)
      : await measure(rounds, NUMPY_PROGRAMS, "numpy", old.folder)),
  ];
}

async function measure(
  rounds: number,
  programs: Program[],
  dependency: string,
  pyodide?: string,
): Promise<(Heavy | Skipped)[]> {
  const installed = await install(dependency, pyodide);
  if ("reason" in installed) return skip(programs, installed.reason);
  const { args, wheels } = installed;
  const loader = pyodide === undefined ? [] : [join(pyodide, "pyodide.mjs")];
  const python = await findPython();
  const all = programs.map((program) => ({
    program,
    samples: { name: program.name, ours: [], cold: [], python: [] } as Heavy,
  }));
  for (let round = 0; round < rounds; round++) {
    await using ours = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...args]);
    await ours.connect();
    await using cold = await startCold([...loader, ...wheels, dependency]);
    for (const { program: { code, value }, samples } of all) {
      samples.ours.push(
        await timed(ours.pid, value, async () => {
          const { structuredContent } = await ours.callTool(
            "run_python_code",
            { python_code: code },
          );
          return Object(structuredContent).return_value;
        }),
      );
      samples.cold.push(
        await timed(cold.pid, value, async () => {
          await cold.send(JSON.stringify(code));
          return JSON.parse(await cold.receive());
        }),
      );
      samples.python.push(...await runPlain(python, { code, value }));
    }
  }
  return all.map(({ samples }) => samples);
}

function skip(programs: Program[], reason: string): Skipped[] {
  return programs.map(({ name }) => ({ name, reason }));
}

/** Runs a program in a process that is idle, and checks its answer. */
async function timed(
  pid: number,
  value: number,
  run: () => Promise<unknown>,
): Promise<Sample> {
  await untilIdle(pid);
  const before = cpuMsOf(pid);
  const started = performance.now();
  const answer = await run();
  const wallMs = performance.now() - started;
  const after = cpuMsOf(pid);
  assertEquals(answer, value);
  const cpuMs = before === undefined || after === undefined
    ? undefined
    : after - before;
  return { wallMs, cpuMs };
}

const TIME_IT = `import json, sys, time
*lines, last = sys.argv[1].splitlines()
names = {}
started = time.perf_counter(), time.process_time()
try:
    exec("\\n".join(lines), names)
    value = eval(last, names)
    ended = time.perf_counter(), time.process_time()
    print(json.dumps([value, *(1000 * (b - a) for a, b in zip(started, ended))]))
except ModuleNotFoundError:
    print("[]")`;

/** The same in `python3`, on its own clock: its start is not in the figures. */
async function runPlain(
  path: string | undefined,
  { code, value }: Pick<Program, "code" | "value">,
): Promise<Sample[]> {
  if (path === undefined) return [];
  const { stdout } = await new Deno.Command(path, {
    args: ["-c", TIME_IT, code],
    stdin: "null",
    stderr: "inherit",
  }).output();
  const [answer, wallMs, cpuMs] = JSON.parse(new TextDecoder().decode(stdout));
  if (answer === undefined) return [];
  assertEquals(answer, value);
  return [{ wallMs, cpuMs }];
}
