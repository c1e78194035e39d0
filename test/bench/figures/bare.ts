import { fileURLToPath } from "node:url";
import { cpuMsOfEndedChildren } from "../usage.ts";
import type { Sample } from "./sample.ts";

const EMPTY = fileURLToPath(import.meta.resolve("../empty.ts"));

/** Baseline: `deno run` of an empty file, from start to end. */
export async function measureBare(): Promise<Sample> {
  const before = cpuMsOfEndedChildren();
  const started = performance.now();
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", EMPTY],
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn().status;
  const wallMs = performance.now() - started;
  const after = cpuMsOfEndedChildren();
  if (!success) throw new Error(`Cannot run ${EMPTY}`);
  const cpuMs = before === undefined || after === undefined
    ? undefined
    : after - before;
  return { wallMs, cpuMs };
}
