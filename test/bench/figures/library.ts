import { fileURLToPath } from "node:url";
import { assertEquals } from "../../../deps/assert.ts";
import { CACHE } from "../../support/command.ts";
import { untilIdle } from "../idle.ts";
import { Peer } from "../peer.ts";
import { measureCold } from "./cold.ts";
import { install } from "./installed.ts";
import { findPython } from "./plain_python.ts";

const CLIENT = fileURLToPath(import.meta.resolve("../library_client.py"));
const OTHER = fileURLToPath(import.meta.resolve("../library_client.ts"));
const SOURCES = fileURLToPath(import.meta.resolve("../../../python/src"));
/** What the predecessor has beside its dependencies. */
const ITS_PACKAGES = ["micropip", "pydantic"];
const SANDBOXES = 10;
const WARM_UP = 5;

/** Wall times of the library for Python, and of its baselines; or why there are none. */
export type Library = Entering & Calls | { reason: string };

interface Entering {
  /** From entering a sandbox until a first result is there. */
  one: number[];
  /** The same of ten sandboxes at once, until each has its result. */
  ten: number[];
  /** The predecessor's design: it installs, and then loads Pyodide cold. */
  predecessor: number[];
}

/** Of calls that find all idle. */
interface Calls {
  python: number[];
  typescript: number[];
}

/** Ours and baselines, in turns. */
export async function measureLibrary(
  rounds: number,
  calls: number,
): Promise<Library> {
  const python = await findPython();
  if (python === undefined) return { reason: "there is no python3" };
  const wheels = new Set<string>();
  for (const name of ITS_PACKAGES) {
    const installed = await install(name);
    if ("reason" in installed) return installed;
    installed.wheels.forEach((wheel) => wheels.add(wheel));
  }
  await using client = new Peer([CLIENT], {
    command: [python],
    env: {
      PYTHONPATH: SOURCES,
      PYTHONDONTWRITEBYTECODE: "1",
      MCP_RUN_PYTHON_DENO: Deno.execPath(),
      MCP_RUN_PYTHON_CACHE: CACHE,
    },
  });
  assertEquals(await client.receive(), "ready");
  const its = [...wheels, ...ITS_PACKAGES];
  return {
    ...await measureEntering(client, rounds, its),
    ...await measureCalls(client, calls),
  };
}

async function measureEntering(
  client: Peer,
  rounds: number,
  its: string[],
): Promise<Entering> {
  const times: Entering = { one: [], ten: [], predecessor: [] };
  // The first round does not count.
  for (let round = -1; round < rounds; round++) {
    const one = await ask(client, "enter 1");
    const ten = await ask(client, `enter ${SANDBOXES}`);
    const installing = await measureCold(its);
    const running = await measureCold(its);
    if (round < 0) continue;
    times.one.push(one);
    times.ten.push(ten);
    times.predecessor.push(installing.wallMs + running.wallMs);
  }
  return times;
}

async function measureCalls(client: Peer, count: number): Promise<Calls> {
  await using other = new Peer(["-A", OTHER, CACHE]);
  assertEquals(await other.receive(), "ready");
  const times: Calls = { python: [], typescript: [] };
  for (let number = -WARM_UP; number < count; number++) {
    const python = await ask(client, `call ${number}`);
    const typescript = await ask(other, `${number}`);
    if (number < 0) continue;
    times.python.push(python);
    times.typescript.push(typescript);
  }
  return times;
}

/** Has an idle client measure; gives the milliseconds. */
async function ask(client: Peer, order: string): Promise<number> {
  await untilIdle(client.pid);
  await client.send(order);
  return Number(await client.receive());
}
