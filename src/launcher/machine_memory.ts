import { maybe } from "./maybe.ts";

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
