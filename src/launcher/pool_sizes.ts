import { MIB } from "../units.ts";
import { memoryBytes } from "./machine_memory.ts";
import type { Settings } from "../settings.ts";
import type { PoolSizes, ServerSettings } from "../protocol/server_settings.ts";

/** MiB that a sandbox process takes beside Python's own memory and files. */
const OVERHEAD_MIB = 256;

/** As many fit into the machines that are in use. */
const FEWEST_SESSIONS = 16;
/** MiB that a process of a session takes at rest. */
const SESSION_MIB = 128;

/** What a server is told of its sessions. */
export function toSessionTerms(settings: Settings): Pick<
  ServerSettings,
  "sessions" | "stateful" | "lostSessions" | "maxSessions" | "maxSessionsMiB"
> {
  const { sessions = "named", codeMode, fileTools, maxSessionsMiB } = settings;
  const has = sessions !== "none";
  return {
    sessions: has,
    // Tools of sessions are offered to clients that have no handle.
    stateful: has && (sessions === "always" || codeMode || fileTools),
    lostSessions: sessions === "strict" ? "refuse" : "fresh",
    maxSessions: settings.maxSessions ??
      Math.max(
        FEWEST_SESSIONS,
        Math.floor((maxSessionsMiB ?? 0) / SESSION_MIB),
      ),
    maxSessionsMiB: toSessionsMiB(settings),
  };
}

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
