import { MIB } from "../units.ts";
import { toSize } from "./sizes.ts";
import type { Download } from "./download_bars.ts";

/** Least room for a name before a column is left out for it. */
const NAME = 16;

/** One line about a download, of less than `columns` columns. */
export function toBar(download: Download, columns: number): string {
  // A full line would make some terminals begin another one.
  const width = Math.max(0, columns - 1);
  const facts = toFacts(download);
  const room = () => width - facts.join("").length;
  while (facts.length > 1 && room() < NAME) facts.pop();
  const left = Math.max(0, room());
  const bar = Math.min(24, Math.floor(left / 3));
  const text = bar >= 8
    ? `${fit(download.file, left - bar - 2)}  ${toBlocks(download, bar)}`
    : fit(download.file, left);
  return fit(text + facts.join(""), width);
}

/** Columns of a fixed width, the most important one first. */
function toFacts({ received, total, started, now }: Download): string[] {
  const seconds = (now - started) / 1000;
  const rate = seconds > 0 ? received / seconds : 0;
  const left = total !== undefined && rate > 0
    ? Math.max(0, total - received) / rate
    : undefined;
  return [
    total === undefined
      ? "    ?"
      : `${Math.floor(share(received, total) * 100)}%`.padStart(5),
    `  ${toAmount(received, total).padStart(15)}`,
    `  ${(rate > 0 ? `${toSize(rate)}/s` : "").padStart(12)}`,
    `  ${(left === undefined ? "" : toTime(left)).padStart(7)}`,
  ];
}

function toBlocks({ received, total }: Download, width: number): string {
  if (total === undefined) return "\u00b7".repeat(width);
  const full = Math.round(share(received, total) * width);
  return "\u2588".repeat(full) + "\u2591".repeat(width - full);
}

function share(received: number, total: number): number {
  return total === 0 ? 1 : Math.min(1, received / total);
}

function toAmount(received: number, total?: number): string {
  if (total === undefined) return toSize(received);
  const unit = total < MIB ? "KiB" : "MiB";
  const [some, all] = [received, total].map((bytes) =>
    total < MIB ? Math.ceil(bytes / 1024) : (bytes / MIB).toFixed(1)
  );
  return `${some}/${all} ${unit}`;
}

function toTime(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole >= 3600 * 10) return "> 10 h";
  const two = (value: number) => String(value).padStart(2, "0");
  const [hours, minutes] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
  ];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}`
    : `${minutes}:${two(whole % 60)}`;
}

/** Text of exactly this width; what is too long loses its middle. */
function fit(text: string, width: number): string {
  // Names of files are ASCII; what else is there may be two columns wide.
  const safe = text.replace(/[^\x20-\x7e\u2026\u2588\u2591\u00b7]/gu, "?");
  if (safe.length <= width) return safe.padEnd(width);
  if (width < 2) return safe.slice(0, Math.max(0, width));
  const head = Math.ceil((width - 1) / 2);
  return `${safe.slice(0, head)}\u2026${
    safe.slice(safe.length - (width - 1 - head))
  }`;
}
