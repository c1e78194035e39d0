/**
 * CPU time and memory of processes, as `/proc` tells (Linux); elsewhere
 * `undefined`.
 *
 * @module
 */
import { descendants } from "../support/processes.ts";
import { HAS_PROC, maybeRead, threadsOf } from "../support/proc.ts";

/** The kernel counts CPU time for user space in steps of this (`CLK_TCK`). */
const TICK_MS = 10;
const KIB = 1024;

/** A process and all below it. */
export function familyOf(pid: number): number[] {
  return HAS_PROC ? [pid, ...descendants(pid)] : [pid];
}

/** CPU time of a process and all below it, those that have ended included. */
export function cpuMsOf(pid: number): number | undefined {
  if (!HAS_PROC) return undefined;
  return familyOf(pid).reduce((sum, id) => sum + cpuMsOfOne(id), 0);
}

/** CPU time of the children of this process that have ended. */
export function cpuMsOfEndedChildren(): number | undefined {
  if (!HAS_PROC) return undefined;
  return ticks("self").children * TICK_MS;
}

/** Memory of a process. */
export interface Memory {
  /** In RAM now. */
  resident: number;
  /** The most that was in RAM. */
  peak: number;
  /** In RAM now, where what is shared counts in parts. */
  share: number | undefined;
}

/** Memory of one process, in bytes. */
export function memoryOf(pid: number): Memory | undefined {
  const status = maybeRead(`/proc/${pid}/status`);
  if (status === undefined) return undefined;
  const rollup = maybeRead(`/proc/${pid}/smaps_rollup`);
  return {
    resident: kib(status, "VmRSS") * KIB,
    peak: kib(status, "VmHWM") * KIB,
    share: rollup === undefined ? undefined : kib(rollup, "Pss") * KIB,
  };
}

/**
 * CPU time of one process, and of its children that have ended.
 *
 * There are two counts and neither says too much: one is in ticks; one is in
 * nanoseconds but forgets threads that have ended. So the larger is the nearer.
 */
function cpuMsOfOne(pid: number): number {
  const { own, children } = ticks(pid);
  return Math.max(own * TICK_MS, threadsMs(pid)) + children * TICK_MS;
}

/** User and system time of a process, and of its children that have ended. */
function ticks(pid: number | "self"): { own: number; children: number } {
  const stat = maybeRead(`/proc/${pid}/stat`) ?? "";
  // Its name, in brackets, may have spaces; state, the third field, follows.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(
    11,
    15,
  );
  return { own: user + system, children: childUser + childSystem };
}

function threadsMs(pid: number): number {
  const nanoseconds = threadsOf(pid).map((thread) =>
    Number(maybeRead(`${thread}/schedstat`)?.split(" ")[0] ?? 0)
  );
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}

function kib(text: string, name: string): number {
  const line = text.split("\n").find((line) => line.startsWith(`${name}:`));
  return Number(line?.match(/\d+/)?.[0] ?? NaN);
}
