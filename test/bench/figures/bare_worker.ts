import { assertEquals } from "../../../deps/assert.ts";
import { cpuMsOf } from "../usage.ts";
import type { Sample } from "./sample.ts";

/** Baseline: a Deno worker with nothing in it, from its start to its answer. */
export async function measureBareWorker(): Promise<Sample> {
  const before = cpuMsOf(Deno.pid);
  const started = performance.now();
  const worker = new Worker(new URL("../echo_worker.ts", import.meta.url), {
    type: "module",
  });
  const answer = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(2);
  });
  const wallMs = performance.now() - started;
  const after = cpuMsOf(Deno.pid);
  worker.terminate();
  assertEquals(answer, 2);
  const cpuMs = before === undefined || after === undefined
    ? undefined
    : after - before;
  return { wallMs, cpuMs };
}
