import { callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { cpuMsOf } from "../usage.ts";

const WARM_UP = 5;
/** How long to watch what it takes without a call. */
const IDLE_MS = 2000;

/** What runs take in a server that is up. */
export interface Preparing {
  runs: number;
  /** CPU time a run of all processes, less what they take without one. */
  cpuMs: number | undefined;
  /** Time from one answer to the next, a median of none: a mean. */
  wallMs: number;
}

/**
 * Ours: the CPU time of a run in a long row, nearly all of which goes into the
 * next interpreter.
 *
 * @param args Options of the server.
 * @param code What each run does first.
 */
export async function measurePreparing(
  runs: number,
  { args = [], code = "" }: { args?: string[]; code?: string } = {},
): Promise<Preparing> {
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...["+pool=1", "--max-concurrency", "1"],
    ...args,
  ]);
  await server.connect();
  for (let number = 0; number < WARM_UP; number++) {
    await callPython(server, number, code);
  }
  await untilIdle(server.pid);
  const idle = await idleShare(server.pid);

  const before = cpuMsOf(server.pid);
  const started = performance.now();
  for (let number = 0; number < runs; number++) {
    await callPython(server, number, code);
  }
  await untilIdle(server.pid);
  const wallMs = performance.now() - started;
  const after = cpuMsOf(server.pid);
  return {
    runs,
    wallMs: wallMs / runs,
    cpuMs: before === undefined || after === undefined
      ? undefined
      : (after - before - idle * wallMs) / runs,
  };
}

/** CPU time that is taken, per time that passes, without a call. */
async function idleShare(pid: number): Promise<number> {
  const before = cpuMsOf(pid) ?? 0;
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return ((cpuMsOf(pid) ?? 0) - before) / (performance.now() - started);
}
