import { GET_RUN } from "../../protocol/long_runs.ts";
import { head } from "../../results/cut.ts";
import { toLines } from "../../results/output.ts";

/** A part of what a run has printed. */
export interface PrintedPart {
  /** Lines, without newlines. */
  output: string[];
  /** The place of the character after it. */
  next: number;
  /** Why there is more than was read, if there may be; and how it is read. */
  note?: string;
}

const MORE = `More was printed: ${GET_RUN} with wait 0 shows it at once.`;
const LATER =
  "The output is too long to be shown while the code runs: the last of it comes with the result.";

/** What a run has printed so far; its sandbox bounds it. */
export class Printed {
  #text = "";
  /** The place up to which answers have told of it. */
  #told = 0;

  /** @param mostLive Characters that come while the run goes on. */
  constructor(private mostLive: number = Infinity) {}

  push(text: string): void {
    this.#text += text;
  }

  /** Gives at most so many characters from a place on. */
  read(from: number, most: number): PrintedPart {
    const start = Math.min(from, this.#text.length);
    const text = head(this.#text.slice(start), most);
    const next = start + text.length;
    const note = this.#noteAt(next);
    return { output: toLines(text), next, ...note ? { note } : {} };
  }

  #noteAt(next: number): string | undefined {
    const { length } = this.#text;
    if (next < length) return MORE;
    // The last character may have been half of one.
    return length >= this.mostLive - 1 ? LATER : undefined;
  }

  /** Reads on from where the last such part ended. */
  readOn(most: number): PrintedPart {
    const part = this.read(this.#told, most);
    this.#told = part.next;
    return part;
  }
}
