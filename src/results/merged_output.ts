import type { Stream } from "../protocol/run_messages.ts";

/**
 * Joins the output of both streams in the order written. A line that comes anew after
 * a `\r` (`TerminalText`) takes the place of what its own stream has written of it.
 */
export class MergedOutput {
  #parts: string[] = [];
  /** The parts that are pieces of a stream's last line. */
  #open: Record<Stream, number[]> = { stdout: [], stderr: [] };

  take(stream: Stream, text: string): void {
    for (const line of text.split(/(?<=\n)/)) {
      const part = line.replace(/^.*\r(?!\n)/s, "");
      if (part.length < line.length) {
        for (const at of this.#open[stream]) this.#parts[at] = "";
        this.#open[stream] = [];
      }
      this.#open[stream].push(this.#parts.push(part) - 1);
      if (part.endsWith("\n")) this.#open[stream] = [];
    }
  }

  toString(): string {
    return this.#parts.join("");
  }
}
