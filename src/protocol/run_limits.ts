import type { Limits } from "../settings.ts";

/** MiB that a run makes a process take beside Python's memory and files. */
export const OVERHEAD_MIB = 512;

export type RunLimits = Pick<
  Limits,
  "cpuSeconds" | "memoryMiB" | "maxFilesMiB"
>;

/** MiB by which a run may make its process grow: Python's own limit does not see all. */
export function largestMiB(
  { memoryMiB, maxFilesMiB }: Pick<RunLimits, "memoryMiB" | "maxFilesMiB">,
): number {
  return memoryMiB + maxFilesMiB + OVERHEAD_MIB;
}
