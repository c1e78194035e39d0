export interface Meter {
  /** Resident memory, beyond what it was when the meter was opened; in bytes. */
  grownBytes(): number;
  /** CPU time of all its threads, in seconds. */
  cpuSeconds(): number;
}

/** CPU time, if wanted, takes a part of Node that loads for 40 ms. */
export async function openMeter(wantsCpu: boolean): Promise<Meter> {
  const cpuSeconds = wantsCpu ? await openCpuClock() : () => 0;
  const base = Deno.memoryUsage().rss;
  return { grownBytes: () => Deno.memoryUsage().rss - base, cpuSeconds };
}

async function openCpuClock(): Promise<() => number> {
  // Deno's own function is for a process that may read `/proc`.
  const { default: process } = await import("node:process");
  return () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
}
