import { MIB } from "../units.ts";
import { memoryBytes } from "./machine_memory.ts";
import type { Settings } from "../settings.ts";
import type { PoolSizes } from "../protocol/server_settings.ts";

/** MiB that a sandbox process takes beside Python's own memory and files. */
const OVERHEAD_MIB = 256;

/** Chooses the memory that all sessions may take together. */
export function toSessionsMiB(
  { maxSessionsMiB }: Settings,
  bytes: number = memoryBytes(),
): number {
  return maxSessionsMiB ?? Math.floor(bytes / 2 / MIB);
}

/**
 * Chooses the sizes of the pool: as many runs as there are cores, if half of the
 * memory is enough for all of them at their limit.
 */
export function toPoolSizes(
  { pool, maxConcurrency, maxQueue, memoryMiB, maxFilesMiB }: Settings,
  machine = {
    cores: navigator.hardwareConcurrency,
    memoryBytes: memoryBytes(),
  },
): PoolSizes {
  const largestMiB = memoryMiB + maxFilesMiB + OVERHEAD_MIB;
  const fitting = machine.memoryBytes / 2 / MIB / largestMiB;
  const running = maxConcurrency ??
    Math.max(1, Math.min(machine.cores, Math.floor(fitting)));
  return { ready: pool ?? running, running, waiting: maxQueue };
}
