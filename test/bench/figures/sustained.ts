import { callPython } from "../calls.ts";
import { untilIdle } from "../idle.ts";
import { McpPeer } from "../mcp_peer.ts";
import { measureCold } from "./cold.ts";

/** Runs a second, as many at once as there are cores. */
export interface Sustained {
  cores: number;
  ours: number;
  cold: number;
}

/** Ours and baseline: how many fresh interpreters there are in a second. */
export async function measureSustained(
  runs: number,
  coldRuns: number,
): Promise<Sustained> {
  const cores = navigator.hardwareConcurrency;
  // Half before and half after, so that noise of the machine meets both.
  const before = await inParallel(cores, coldRuns / 2, () => measureCold());
  const ours = await measureOurs(cores, runs);
  const after = await inParallel(cores, coldRuns / 2, () => measureCold());
  return { cores, ours, cold: 2 / (1 / before + 1 / after) };
}

async function measureOurs(cores: number, runs: number): Promise<number> {
  const size = String(cores);
  await using server = McpPeer.startOurs([
    ...McpPeer.CACHE_ARGS,
    ...[`+pool=${size}`, "--max-concurrency", size],
  ]);
  await server.connect();
  const call = (number: number) => callPython(server, number);
  await inParallel(cores, cores * 3, call);
  await untilIdle(server.pid);
  return await inParallel(cores, runs, call);
}

/** Does a work so many times; gives how many times a second that was. */
export async function inParallel(
  lanes: number,
  times: number,
  work: (number: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  const started = performance.now();
  await Promise.all(Array.from({ length: lanes }, async () => {
    while (next < times) await work(next++);
  }));
  return times / (performance.now() - started) * 1000;
}
