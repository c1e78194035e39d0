/**
 * Lays out a table that reads as text and as Markdown: the first column to the
 * left, numbers to the right.
 */
export function toTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = header.map((name, column) =>
    Math.max(
      MIN_WIDTH,
      ...[name, ...rows.map((row) => row[column] ?? "")].map(widthOf),
    )
  );
  const line = (cells: readonly string[]) =>
    `| ${
      widths.map((width, column) => {
        const cell = cells[column] ?? "";
        const space = " ".repeat(width - widthOf(cell));
        return column === 0 ? cell + space : space + cell;
      }).join(" | ")
    } |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  );
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

/** What Markdown needs for a rule. */
const MIN_WIDTH = 3;

/** Characters, not UTF-16 units. */
function widthOf(text: string): number {
  return [...text].length;
}
