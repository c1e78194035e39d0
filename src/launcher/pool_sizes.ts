import { MIB } from "../units.ts";
import { maybe } from "../errors.ts";
import type { Settings } from "../settings.ts";
import type { PoolSizes, ServerSettings } from "../protocol/server_settings.ts";

/** MiB that a sandbox process takes beside Python's own memory and files. */
const OVERHEAD_MIB = 256;

/**
 * MiB of the machine that the process of a session takes which has run little: its
 * share of what such processes have in common is counted to it (docs/measuring.md).
 */
const SESSION_MIB = 72;

/** What a server is told of its sessions. */
export function toSessionTerms(
  settings: Settings,
  machineBytes: number = memoryBytes(),
): Pick<
  ServerSettings,
  | ("sessions" | "stateful" | "lostSessions")
  | ("maxSessions" | "maxSessionsMiB" | "sessionMiB")
> {
  const { sessions = "named", codeMode, fileTools } = settings;
  const has = sessions !== "none";
  // Half of the machine's memory is for all sessions together.
  const maxSessionsMiB = settings.maxSessionsMiB ??
    Math.floor(machineBytes / 2 / MIB);
  return {
    sessions: has,
    // Tools of sessions are offered to clients that have no handle.
    stateful: has && (sessions === "always" || codeMode || fileTools),
    lostSessions: sessions === "strict" ? "refuse" : "fresh",
    maxSessions: settings.maxSessions ??
      Math.max(1, Math.floor(maxSessionsMiB / SESSION_MIB)),
    ...{ maxSessionsMiB, sessionMiB: SESSION_MIB },
  };
}

/** Sandboxes that are ready for callers while those of others are made anew. */
const SPARE = 2;

/**
 * Chooses the sizes of the pool: as many runs as there are cores, if half of the
 * memory is enough for all of them at their limit.
 *
 * @param isShared Whether callers are known, and so have their shares.
 */
export function toPoolSizes(
  { pool, maxConcurrency, maxQueue, memoryMiB, maxFilesMiB }: Settings,
  isShared: boolean,
  machine = {
    cores: navigator.hardwareConcurrency,
    memoryBytes: memoryBytes(),
  },
): PoolSizes {
  const largestMiB = memoryMiB + maxFilesMiB + OVERHEAD_MIB;
  const fitting = machine.memoryBytes / 2 / MIB / largestMiB;
  const running = maxConcurrency ??
    Math.max(1, Math.min(machine.cores, Math.floor(fitting)));
  const ready = running + (isShared ? SPARE : 0);
  return { ready: pool ?? ready, running, waiting: maxQueue };
}

const CGROUPS = "/sys/fs/cgroup";

/**
 * Memory that this process may count on, in bytes: the machine's, or less if a
 * container or a unit of systemd bounds it.
 *
 * @param read Reads a file of the system (Linux, cgroup v2); may throw.
 */
export function memoryBytes(
  machineBytes: number = Deno.systemMemoryInfo().total,
  read: (path: string) => string = Deno.readTextFileSync,
): number {
  const [, own] = /^0::(\/.*)$/m.exec(
    maybe(() => read("/proc/self/cgroup")) ?? "",
  ) ?? [];
  const parts = own === undefined ? [] : own.split("/").filter(Boolean);
  // Each group above bounds those in it; without a bound it says "max".
  const bounds = [[], ...parts.map((_, at) => parts.slice(0, at + 1))]
    .map((path) => [CGROUPS, ...path, "memory.max"].join("/"))
    .map((file) => Number.parseInt(maybe(() => read(file)) ?? ""))
    .filter((bytes) => bytes > 0);
  return Math.min(machineBytes, ...bounds);
}
