import { type Call, callNoop, callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf } from "../usage.ts";
import { measureMemory, type ProcessMemory } from "./memory.ts";

/** Calls before the clock starts, for V8 to compile and the pool to grow. */
const WARM_UP = 5;
/** Calls of the no-op in a row for each of ours. */
const NOOP_SHARE = 10;

/** Calls of both servers, and the memory of ours. */
export interface WarmCalls {
  /** Calls that find everything idle. */
  paced: { noop: Calls; ours: Calls };
  /** Calls that follow the last answer at once. */
  rushed: { noop: Calls; ours: Calls };
  memory: { ready: ProcessMemory[]; afterCalls: ProcessMemory[] };
}

/** Calls of one server. */
export interface Calls {
  wallMs: number[];
  /** CPU time a call, with what is left to be done after its answer. */
  cpuMs: number | undefined;
}

/**
 * Ours and baseline: calls in servers that are up.
 *
 * @param paced Calls of each server, in turns, everything being idle before.
 * @param rushed Calls of ours in a row.
 * @param args Options of the server.
 */
export async function measureWarmCalls(
  paced: number,
  rushed: number,
  args: string[] = [],
): Promise<WarmCalls> {
  await using noop = McpPeer.startNoop();
  await using ours = McpPeer.startOurs([...McpPeer.CACHE_ARGS, ...args]);
  await noop.connect();
  await ours.connect();
  await untilIdle(ours.pid);
  const ready = measureMemory(ours.pid);

  await callInTurns(noop, ours, WARM_UP);
  const inTurns = await callInTurns(noop, ours, paced);
  const afterCalls = measureMemory(ours.pid);
  return {
    paced: inTurns,
    rushed: {
      noop: await callInARow(noop, callNoop, rushed * NOOP_SHARE),
      ours: await callInARow(ours, callPython, rushed),
    },
    memory: { ready, afterCalls },
  };
}

async function callInTurns(
  noop: McpPeer,
  ours: McpPeer,
  count: number,
): Promise<WarmCalls["paced"]> {
  const tallies = {
    noop: new Tally(noop, callNoop),
    ours: new Tally(ours, callPython),
  };
  for (let number = 0; number < count; number++) {
    await tallies.noop.call(number);
    await tallies.ours.call(number);
    await untilIdle(ours.pid);
  }
  return { noop: tallies.noop.finish(), ours: tallies.ours.finish() };
}

async function callInARow(
  server: McpPeer,
  call: Call,
  count: number,
): Promise<Calls> {
  const tally = new Tally(server, call);
  for (let number = 0; number < count; number++) await tally.call(number);
  await untilIdle(server.pid);
  return tally.finish();
}

/** Calls on the clock; what a server does between them counts as CPU time. */
class Tally {
  #server: McpPeer;
  #call: Call;
  #wallMs: number[] = [];
  #cpuBefore: number | undefined;

  constructor(server: McpPeer, call: Call) {
    this.#server = server;
    this.#call = call;
    this.#cpuBefore = cpuMsOf(server.pid);
  }

  async call(number: number): Promise<void> {
    const started = performance.now();
    await this.#call(this.#server, number);
    this.#wallMs.push(performance.now() - started);
  }

  finish(): Calls {
    const after = cpuMsOf(this.#server.pid);
    const cpuMs = after === undefined || this.#cpuBefore === undefined
      ? undefined
      : (after - this.#cpuBefore) / this.#wallMs.length;
    return { wallMs: this.#wallMs, cpuMs };
  }
}
