import type { Stream } from "../protocol/run_messages.ts";
import { TerminalText } from "./terminal_text.ts";

type Piece = [stream: Stream, text: string];

/** Resolves both streams of a run, each as a terminal of its own does. */
export class TerminalStreams {
  #terminals = { stdout: new TerminalText(), stderr: new TerminalText() };

  /** Gives the pieces that may pass now, in their order. */
  push(stream: Stream, text: string): Piece[] {
    const other = stream === "stdout" ? "stderr" : "stdout";
    return [
      [other, this.#terminals[other].pause()],
      [stream, this.#terminals[stream].push(text)],
    ];
  }

  /** Gives the rest. */
  finish(): Piece[] {
    const { stdout, stderr } = this.#terminals;
    return [["stdout", stdout.finish()], ["stderr", stderr.finish()]];
  }
}
