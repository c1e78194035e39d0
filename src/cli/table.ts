/** Rows of cells as lines, in columns. */
export function toTable(rows: string[][]): string[] {
  const [header = []] = rows;
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0))
  );
  return rows.map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")
      .trimEnd()
  );
}
