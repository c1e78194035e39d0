import type { Screen } from "../../src/cli/install_progress.ts";

/** A terminal in memory that knows the control sequences of progress. */
export interface TestScreen extends Screen {
  /** Everything that is on it or was scrolled off, without empty last lines. */
  lines(): string[];
  /** Most lines, from the top of the screen, that were not empty at once. */
  highest(): number;
  /** All that was written. */
  raw(): string;
}

/** Makes one. */
export function makeScreen(
  { columns = 80, rows = 24, isTerminal = true, hasColors = false } = {},
): TestScreen {
  const lines: string[] = [""];
  let [row, column, top, highest, raw] = [0, 0, 0, 0, ""];

  return {
    isTerminal,
    hasColors,
    columns: () => columns,
    write(text) {
      raw += text;
      // deno-lint-ignore no-control-regex
      for (const [piece] of text.matchAll(/\x1b\[[\d;?]*[A-Za-z]|[^]/g)) {
        if (piece.startsWith("\x1b")) control(piece);
        else put(piece);
      }
      const filled = lines.slice(top).filter((line) => line.trim() !== "");
      highest = Math.max(highest, filled.length);
    },
    lines() {
      const end = lines.findLastIndex((line) => line.trim() !== "");
      return lines.slice(0, end + 1).map((line) => line.trimEnd());
    },
    highest: () => highest,
    raw: () => raw,
  };

  function put(character: string): void {
    if (character === "\r") column = 0;
    else if (character === "\n") down();
    else {
      if (column === columns) down();
      const line = (lines[row] ?? "").padEnd(column);
      lines[row] = line.slice(0, column) + character + line.slice(column + 1);
      column++;
    }
  }

  function down(): void {
    row++;
    column = 0;
    lines[row] ??= "";
    top = Math.max(top, row - rows + 1);
  }

  function control(sequence: string): void {
    const count = Number(sequence.slice(2, -1)) || 0;
    switch (sequence.at(-1)) {
      case "A":
        row = Math.max(top, row - count);
        break;
      case "K":
        lines[row] = count === 2 ? "" : (lines[row] ?? "").slice(0, column);
        break;
      case "G":
        column = count - 1;
        break;
      case "J":
        lines[row] = (lines[row] ?? "").slice(0, column);
        lines.length = row + 1;
        break;
      case "m":
      case "h":
        break;
      default:
        throw new Error(
          `The terminal does not know ${JSON.stringify(sequence)}`,
        );
    }
  }
}
