import { toTable } from "../table.ts";
import { toMemory, toRatio, toTime } from "../units.ts";
import { BASELINE, type Skipped } from "./contender.ts";
import type { Figure, Measured } from "./measure.ts";
import { PROGRAMS } from "./programs.ts";

/** Less is lost in the clock's steps, and in telling a process what to run. */
const LEAST_CPU_MS = 0.25;
const [ONE, LOOP] = [0, 1];

/** A table for each program, one of what the calls run in, and who is missing. */
export function peersReport(
  { measured, skipped }: { measured: Measured[]; skipped: Skipped[] },
): string[] {
  return [
    ...PROGRAMS.map(({ name }, at) => programTable(name, at, measured)),
    wallsTable(measured),
    ...skipped.map(({ name, reason }) => `SKIPPED: ${name}: ${reason}`),
  ];
}

function programTable(name: string, at: number, measured: Measured[]): string {
  return toTable(
    [name, "fresh: p50", "fresh: CPU", "kept: p50", "kept: CPU"],
    measured.map(({ name, fresh, kept }) => [
      name,
      ...toCells(fresh[at]),
      ...toCells(kept[at]),
    ]),
  );
}

function toCells(figure: Figure | undefined): [string, string] {
  if (figure === undefined) return ["", ""];
  if ("reason" in figure) return [figure.reason, ""];
  const { wallMs, cpuMs } = figure;
  const isTiny = cpuMs !== undefined && cpuMs < LEAST_CPU_MS;
  return [
    toTime(wallMs),
    isTiny ? `< ${toTime(LEAST_CPU_MS)}` : toTime(cpuMs),
  ];
}

function wallsTable(measured: Measured[]): string {
  const plain = measured.find(({ name }) => name === BASELINE);
  return toTable(
    [
      "walls, memory, speed",
      "between caller and code",
      "stays up, resident",
      "share",
      "loop",
    ],
    measured.map((one) => [
      one.name,
      one.walls,
      ...toMemoryCells(one.memory),
      toRatio(loopMs(one), plain && loopMs(plain)),
    ]),
  );
}

function toMemoryCells(memory: Measured["memory"]): [string, string] {
  if (memory.length === 0) return ["nothing", "nothing"];
  const sum = (key: "resident" | "share") => {
    const all = memory.map((one) => one?.[key]);
    return all.reduce((sum, one) =>
      sum === undefined || one === undefined ? undefined : sum + one
    );
  };
  return [toMemory(sum("resident")), toMemory(sum("share"))];
}

/**
 * Time of the loop, without that of a call; undefined if a call costs more than
 * the loop, as the difference then says nothing.
 */
function loopMs({ fresh, kept }: Measured): number | undefined {
  const wallMs = (at: number) =>
    [kept[at], fresh[at]].flatMap((figure) =>
      figure && "wallMs" in figure ? figure.wallMs : []
    )[0];
  const loop = wallMs(LOOP);
  const one = wallMs(ONE);
  if (loop === undefined || one === undefined) return undefined;
  return loop > 2 * one ? loop - one : undefined;
}
