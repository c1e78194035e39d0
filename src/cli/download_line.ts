import { MIB } from "../units.ts";
import { toSize } from "./sizes.ts";

const WIDEST_BAR = 24;
const NARROWEST_BAR = 8;

export interface Download {
  received: number;
  total?: number | undefined;
  state: "expected" | "running" | "done";
}

/** The bytes that came since the running downloads began. */
interface Pace {
  seconds: number;
  received: number;
}

/** A line about all downloads of an install, of less than `columns` columns. */
export function toDownloadLine(
  downloads: readonly Download[],
  pace: Pace,
  columns: number,
): string {
  // A full line would make some terminals begin another line.
  const width = Math.max(0, columns - 1);
  const [received = 0, total] = sumOf(downloads);
  const done = downloads.filter(({ state }) => state === "done").length;
  const current = Math.min(done + 1, downloads.length);
  const facts = [
    `Downloading ${current} of ${downloads.length}`,
    ...toFacts(pace, received, total),
  ];
  while (facts.length > 1 && facts.join("").length > width) facts.pop();
  const [title = "", ...rest] = facts;
  const room = width - facts.join("").length - 2;
  const bar = room >= NARROWEST_BAR
    ? `  ${toBar(Math.min(WIDEST_BAR, room), received, total)}`
    : "";
  return `${title}${bar}${rest.join("")}`.slice(0, width);
}

/** Bytes received, and bytes in all; the latter undefined if a size is not known. */
function sumOf(
  downloads: readonly Download[],
): [received: number, total: number | undefined] {
  const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0);
  const totals = downloads.flatMap(({ total }) => total ?? []);
  return [
    sum(downloads.map(({ received }) => received)),
    totals.length === downloads.length ? sum(totals) : undefined,
  ];
}

/** Columns of a fixed width, the most important column first. */
function toFacts(pace: Pace, received: number, total?: number): string[] {
  const rate = pace.seconds > 0 ? pace.received / pace.seconds : 0;
  const speed = rate > 0 ? `${toSize(rate)}/s` : "";
  const time = rate > 0 && total !== undefined
    ? toTime(Math.max(0, total - received) / rate)
    : "";
  return [
    `  ${toAmount(received, total).padStart(14)}`,
    `  ${speed.padStart(10)}`,
    `  ${time.padStart(7)}`,
  ];
}

function toBar(width: number, received: number, total?: number): string {
  if (total === undefined) return "·".repeat(width);
  const share = total === 0 ? 1 : Math.min(1, received / total);
  const full = Math.round(share * width);
  return "█".repeat(full) + "░".repeat(width - full);
}

function toAmount(received: number, total?: number): string {
  if (total === undefined) return toSize(received);
  const amount = total < MIB
    ? Math.ceil(received / 1024)
    : (received / MIB).toFixed(1);
  return `${amount}/${toSize(total)}`;
}

function toTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole >= 3600 * 10) return "> 10 h";
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const start = hours > 0 ? `${hours}:${two(minutes)}` : minutes;
  return `${start}:${two(whole % 60)}`;
}
