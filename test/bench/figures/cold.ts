import { fileURLToPath } from "node:url";
import { assertEquals } from "../../../deps/assert.ts";
import { Peer } from "../peer.ts";
import { cpuMsOf, type Memory, memoryOf } from "../usage.ts";
import type { Sample } from "./sample.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("../cold_pyodide.ts"));

/** What one repetition took, and its memory when it had its result. */
export interface ColdSample extends Sample {
  memory: Memory | undefined;
}

/**
 * Baseline: a process that loads Pyodide cold, from its start to its result.
 *
 * @param args Wheels to unpack before, and a module to import.
 */
export async function measureCold(args: string[] = []): Promise<ColdSample> {
  await using python = await startCold(args);
  const wallMs = python.ageMs;
  const cpuMs = cpuMsOf(python.pid);
  return { wallMs, cpuMs, memory: memoryOf(python.pid) };
}

/** Starts one that lives until it is disposed of; gives it with its result. */
export async function startCold(args: string[] = []): Promise<Peer> {
  const python = new Peer(["-A", SCRIPT, ...args]);
  assertEquals(await python.receive(), "2");
  return python;
}
