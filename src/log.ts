// Logs go to stderr, everywhere: stdout is for MCP, or for Python. Names and errors
// come from anywhere: what is written here speaks to no terminal.
const encoder = new TextEncoder();

export function log(text: string): void {
  writeLog(printable(text));
}

function writeLog(text: string): void {
  writeAll(Deno.stderr, encoder.encode(`${text}\n`));
}

const COLORS = { error: 31, warning: 33 };

/** The start of a line that is an error or a warning. */
export function toLabel(
  label: keyof typeof COLORS,
  { hasColors }: { hasColors: boolean },
): string {
  return hasColors ? `\x1b[1;${COLORS[label]}m${label}: \x1b[0m` : `${label}: `;
}

export function logError(text: string): void {
  const hasColors = Deno.stderr.isTerminal() && !Deno.noColor;
  writeLog(toLabel("error", { hasColors }) + printable(text));
}

/** Lines of text that move no terminal's cursor. */
export function printable(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeControls);
}

/** No text of a guest or client ends a line, or speaks to a terminal. */
export function escapeControls(line: string): string {
  return line.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) =>
      character.split("").map((unit) =>
        `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      ).join(""),
  );
}

/** Writes the output of a command. */
export function print(text: string): void {
  writeAll(Deno.stdout, encoder.encode(printable(text)));
}

export function writeAll(
  stream: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let at = 0; at < bytes.length;) {
    at += stream.writeSync(bytes.subarray(at));
  }
}
