import { head } from "../../results/cut.ts";
import { toLines } from "../../results/output.ts";

/** A part of what a run has printed. */
export interface PrintedPart {
  /** Lines, without newlines. */
  output: string[];
  /** The place of the character after it. */
  next: number;
}

/** What a run has printed so far; its sandbox bounds it. */
export class Printed {
  #text = "";
  /** The place up to which answers have told of it. */
  #told = 0;

  push(text: string): void {
    this.#text += text;
  }

  /** Gives at most so many characters from a place on. */
  read(from: number, most: number): PrintedPart {
    const start = Math.min(from, this.#text.length);
    const text = head(this.#text.slice(start), most);
    return { output: toLines(text), next: start + text.length };
  }

  /** Reads on from where the last such part ended. */
  readOn(most: number): PrintedPart {
    const part = this.read(this.#told, most);
    this.#told = part.next;
    return part;
  }
}
