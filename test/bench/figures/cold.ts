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

/** Baseline: a process that loads Pyodide cold, from its start to its result. */
export async function measureCold(): Promise<ColdSample> {
  await using python = new Peer(["-A", SCRIPT]);
  const result = await python.receive();
  const wallMs = python.ageMs;
  const cpuMs = cpuMsOf(python.pid);
  assertEquals(result, "2");
  return { wallMs, cpuMs, memory: memoryOf(python.pid) };
}
