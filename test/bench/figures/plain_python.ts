import { assertEquals } from "../../../deps/assert.ts";
import { cpuMsOfEndedChildren } from "../usage.ts";
import type { Sample } from "./sample.ts";

/** Finds the CPython of this machine: what `python3` is may be a script that searches for it. */
export async function findPython(): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command("python3", {
      args: ["-c", "import sys; print(sys.executable)"],
      stderr: "null",
    }).output();
    const path = new TextDecoder().decode(stdout).trim();
    return success && path !== "" ? path : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Baseline: `python3 -c` of one line, from start to end. */
export async function measurePlainPython(path: string): Promise<Sample> {
  const before = cpuMsOfEndedChildren();
  const started = performance.now();
  const { stdout } = await new Deno.Command(path, {
    args: ["-c", "print(1 + 1)"],
    stdin: "null",
    stderr: "inherit",
  }).output();
  const wallMs = performance.now() - started;
  const after = cpuMsOfEndedChildren();
  assertEquals(new TextDecoder().decode(stdout), "2\n");
  const cpuMs = before === undefined || after === undefined
    ? undefined
    : after - before;
  return { wallMs, cpuMs };
}
