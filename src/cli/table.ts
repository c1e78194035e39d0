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
