import type { Progress } from "../../protocol/progress.ts";
import type { Stream } from "../../protocol/run_messages.ts";
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

/** The text on the terminal's last line. */
let lastLine = "";

/** Prints text of a hostile guest. */
export async function print(stream: Stream, text: string): Promise<void> {
  const { writer, isTerminal, toShown } = streams[stream];
  const shown = toShown(text);
  if (isTerminal) lastLine = (lastLine + shown).replace(/^.*[\r\n]/s, "");
  await writer.write(encoder.encode(shown));
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
