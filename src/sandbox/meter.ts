import type { Usage } from "../protocol/sandbox_messages.ts";
import { MIB } from "../units.ts";

export interface Meter {
  /** Growth of the resident memory since the meter was opened; in bytes. */
  grownBytes(): number;
  /** Resident memory of its process; in MiB. */
  heldMiB(): number;
  /** Counts what its process takes now as that of a ready interpreter. */
  rebase(): void;
  /** Begins to measure a run; the result gives its use so far. */
  measure(): () => Omit<Usage, "hosts">;
  /** CPU time of all its threads, in seconds. */
  cpuSeconds(): number;
}

/** @param tellsCpu Whether the use of runs has their CPU time. */
export async function openMeter(tellsCpu: boolean): Promise<Meter> {
  const cpuSeconds = await openCpuClock();
  let base = Deno.memoryUsage().rss;
  let peak = 0;
  const grownBytes = () => {
    const grown = Deno.memoryUsage().rss - base;
    peak = Math.max(peak, grown);
    return grown;
  };
  return {
    grownBytes,
    heldMiB: () => Math.round(Deno.memoryUsage().rss / MIB),
    rebase: () => base = Deno.memoryUsage().rss,
    cpuSeconds,
    measure() {
      peak = 0;
      const before = cpuSeconds();
      return () => {
        grownBytes();
        const cpuMs = Math.round((cpuSeconds() - before) * 1000);
        const memoryMiB = Math.round(peak / MIB);
        return tellsCpu ? { cpuMs, memoryMiB } : { memoryMiB };
      };
    },
  };
}

async function openCpuClock(): Promise<() => number> {
  // Node's function calls Deno's, which types do not know, and loads for 10 ms.
  const { cpuUsage } = typeof Object(Deno).cpuUsage === "function"
    ? Object(Deno)
    : await import("node:process");
  return () => {
    const { user, system } = cpuUsage();
    return (user + system) / 1e6;
  };
}
