import type { Usage } from "../protocol/sandbox_messages.ts";
import { MIB } from "../units.ts";

export interface Meter {
  /** Growth of the resident memory since the meter was opened; in bytes. */
  grownBytes(): number;
  /** Begins to measure a run; the result gives its use so far. */
  measure(): () => Omit<Usage, "hosts">;
  /** CPU time of all its threads, in seconds; 0 without a clock. */
  cpuSeconds(): number;
  /** Gives it a clock of CPU time, a part of Node that loads for 10 ms and more. */
  openClock(): Promise<void>;
}

/** @param wantsCpu Whether runs are measured by a clock of CPU time. */
export async function openMeter(wantsCpu: boolean): Promise<Meter> {
  let clock: Promise<() => number> | undefined;
  let cpuSeconds = () => 0;
  const openClock = async () => {
    clock ??= openCpuClock();
    cpuSeconds = await clock;
  };
  if (wantsCpu) await openClock();
  const base = Deno.memoryUsage().rss;
  let peak = 0;
  const grownBytes = () => {
    const grown = Deno.memoryUsage().rss - base;
    peak = Math.max(peak, grown);
    return grown;
  };
  return {
    grownBytes,
    openClock,
    cpuSeconds: () => cpuSeconds(),
    measure() {
      peak = 0;
      const before = cpuSeconds();
      return () => {
        grownBytes();
        const cpuMs = Math.round((cpuSeconds() - before) * 1000);
        const memoryMiB = Math.round(peak / MIB);
        return wantsCpu ? { cpuMs, memoryMiB } : { memoryMiB };
      };
    },
  };
}

async function openCpuClock(): Promise<() => number> {
  // Deno's own function is for a process that may read `/proc`.
  const { default: process } = await import("node:process");
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
}
