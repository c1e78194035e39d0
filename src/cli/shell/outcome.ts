import { EXIT } from "../../errors.ts";
import type { RunResult } from "../../protocol/run_result.ts";

export function toExitCode(result: RunResult): number {
  if (result.status === "success") return EXIT.ok;
  if (result.status === "cancelled") return EXIT.interrupted;
  return result.exitCode ?? EXIT.failure;
}

export function errorsOf(result: RunResult): string[] {
  if (result.status === "success" || result.status === "cancelled") return [];
  return result.error === "" ? [] : [result.error];
}
