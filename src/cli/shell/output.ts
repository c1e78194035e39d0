import type { Progress, Stream } from "../../protocol/run_messages.ts";
import { forTerminal } from "./terminal_text.ts";

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
  await writer.write(encoder.encode(shown));
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
