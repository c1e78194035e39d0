import { EXIT, reasonOf, UserError } from "../../errors.ts";
import type { Progress, Stream } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";

const ESCAPE = "\x1b";
/** Colours, and moves and erasure for bars; a group, as they stay. */
const STYLE = `(${ESCAPE}\\[(?:[\\d;:]{0,40}[A-HJKSTdfm]|\\?25[hl]))`;
const CONTROL = "[\\0-\\x06\\x0e-\\x1f\\x7f-\\x9f]";
const STYLE_OR_CONTROL = new RegExp(`${STYLE}|${CONTROL}`, "g");
const START_OF_STYLE = new RegExp(`${ESCAPE}(?:\\[[\\d;:?]{0,40})?$`);

const encoder = new TextEncoder();
const streams = { stdout: open(Deno.stdout), stderr: open(Deno.stderr) };

function open(stream: typeof Deno.stdout) {
  const isTerminal = stream.isTerminal();
  return {
    writer: stream.writable.getWriter(),
    isTerminal,
    toShown: isTerminal ? forTerminal() : (text: string) => text,
  };
}

/** More than is ever shown again. */
const LONGEST_LINE = 100;

/** The text on the terminal's last line. */
let lastLine = "";

/** Prints text of a hostile guest. */
export async function print(stream: Stream, text: string): Promise<void> {
  const { writer, isTerminal, toShown } = streams[stream];
  const shown = toShown(text);
  if (isTerminal) lastLine = toLastLine(lastLine, shown);
  await writer.write(encoder.encode(shown)).catch((error) => {
    if (error instanceof Deno.errors.BrokenPipe) throw error;
    throw new UserError(
      `Cannot write to ${stream}: ${reasonOf(error)}. Write to another place.`,
    );
  });
}

/** The start of the last line, as a guest may print all it likes without an end. */
export function toLastLine(before: string, text: string): string {
  return (before + text).replace(/^.*[\r\n]/s, "").slice(0, LONGEST_LINE);
}

/** Gives the text on the terminal's last line, which ends now. */
export function takeLastLine(): string {
  const line = lastLine;
  lastLine = "";
  return line;
}

export function printProgress(
  { message, progress, total, isDrawn }: Progress,
): Promise<void> | undefined {
  // A bar is on stderr already.
  if (isDrawn) return;
  const counted = [progress, total].filter((number) => number !== undefined)
    .join("/");
  const line = [counted, message].filter((text) => text !== "").join(" ");
  return print("stderr", `${line}\n`);
}

/**
 * Makes text of a hostile guest safe for a terminal, which obeys sequences in
 * it: they write to the clipboard, say, or have the terminal type. Colours and
 * moves of the cursor stay; other controls become visible.
 *
 * @returns A function that takes one piece of text after the other.
 */
export function forTerminal(): (text: string) => string {
  let held = "";
  return (text) => {
    const all = held + text;
    // The next piece may have the end of its last sequence.
    [held = ""] = START_OF_STYLE.exec(all) ?? [];
    return all.slice(0, all.length - held.length)
      .replace(STYLE_OR_CONTROL, (found, style) => style ?? toPicture(found));
  };
}

/** The sign for a control character, such as ␛. */
function toPicture(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

export function toExitCode(result: RunResult): number {
  if (result.status === "success") return EXIT.ok;
  if (result.status === "cancelled") return EXIT.interrupted;
  return result.exitCode ?? EXIT.failure;
}

export function errorsOf(result: RunResult): string[] {
  if (result.status === "success" || result.status === "cancelled") return [];
  return result.error === "" ? [] : [result.error];
}
