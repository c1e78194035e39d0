import { MIB } from "../units.ts";

/** A size for people: `238 KiB`, `1.4 MiB`. */
export function toSize(bytes: number): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : toMiB(bytes);
}

/** A size for people, always in MiB, to compare with other sizes: `0.2 MiB`. */
export function toMiB(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** A count with its noun: `1 wheel`, `2 wheels`. */
export function toCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Rows of cells as lines, in columns; a line longer than `width` is cut. */
export function toTable(rows: string[][], width = Infinity): string[] {
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  return rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
      .trimEnd()
  ).map((line) => line.length <= width ? line : `${line.slice(0, width - 1)}…`);
}

/** A title with lines below it; nothing without lines. */
export function toSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0
    ? []
    : ["", title, ...lines.map((line) => `  ${line}`)];
}
