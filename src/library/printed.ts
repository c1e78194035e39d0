import { deferred } from "../deferred.ts";
import type { Stream } from "../protocol/run_messages.ts";
import { toLastDrawn } from "../results/output.ts";

/** The lines of a run, as their ends come: those of stdout and stderr apart. */
export class Printed {
  #lines: string[] = [];
  /** Pieces of the last line of each stream. */
  #open: Record<Stream, string[]> = { stdout: [], stderr: [] };
  #more = deferred<void>();
  #hasEnded = false;

  take(stream: Stream, text: string): void {
    const [first = "", ...lines] = text.split("\n");
    this.#open[stream].push(first);
    for (const line of lines) {
      this.#endLine(stream);
      this.#open[stream].push(line);
    }
    if (lines.length > 0) this.#tell();
  }

  /** The run has ended, so that last lines without an end are whole. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#open[stream].some((text) => text !== "")) this.#endLine(stream);
    }
    this.#hasEnded = true;
    this.#tell();
  }

  /** Gives all lines from the first, up to the end. */
  async *read(): AsyncGenerator<string, void, undefined> {
    for (let at = 0;;) {
      const line = this.#lines[at];
      if (line !== undefined) {
        yield line;
        at++;
      } else if (this.#hasEnded) return;
      else await this.#more.promise;
    }
  }

  #endLine(stream: Stream): void {
    const line = this.#open[stream].join("").replace(/\r$/, "");
    this.#lines.push(toLastDrawn(line));
    this.#open[stream] = [];
  }

  #tell(): void {
    this.#more.resolve();
    this.#more = deferred();
  }
}
