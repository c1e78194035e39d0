import { head, leftOut, tail } from "./cut.ts";

/**
 * Bounds the output of a run: the first half of the limit passes at once, and
 * the last half is kept for the end.
 */
export class OutputLimiter {
  #total = 0;
  #passed = 0;
  #half = "";
  #tail = "";
  /** Length of the tail to keep, once no output passes any more. */
  #keep: number | undefined;

  /** @param limit Characters to let through in all; may be Infinity. */
  constructor(private limit: number) {}

  /** Gives the part that may pass now; half of a surrogate pair waits. */
  push(text: string): string {
    this.#total += text.length;
    const joined = this.#half + text;
    this.#half = /[\uD800-\uDBFF]$/.exec(joined.slice(-1))?.[0] ?? "";
    return this.#take(joined.slice(0, joined.length - this.#half.length));
  }

  /** Gives the rest to pass on, and the count of characters printed. */
  finish(): { rest: string; total: number } {
    const live = this.#take(this.#half);
    const kept = tail(this.#tail, this.#keep ?? 0);
    const missing = this.#total - this.#passed - kept.length;
    const note = missing > 0 ? leftOut(missing) : "";
    return { rest: live + note + kept, total: this.#total };
  }

  #take(text: string): string {
    if (this.#keep !== undefined) {
      this.#keepTail(text, this.#keep);
      return "";
    }
    const live = head(text, Math.ceil(this.limit / 2) - this.#passed);
    this.#passed += live.length;
    if (live.length < text.length) {
      this.#keep = this.limit - this.#passed;
      this.#keepTail(text.slice(live.length), this.#keep);
    }
    return live;
  }

  #keepTail(text: string, keep: number): void {
    if (text.length >= keep) {
      this.#tail = copy(tail(text, keep));
      return;
    }
    this.#tail += text;
    // Seldom enough that each character is moved once or twice in its life.
    if (this.#tail.length > 2 * keep) this.#tail = tail(this.#tail, keep);
  }
}

/** A slice keeps alive the whole text that it was cut from; a copy does not. */
function copy(text: string): string {
  return text.split("").join("");
}

/** Splits at `\n` and `\r\n`; of a line that came anew after a `\r` the last counts. */
export function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map(toLastDrawn);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** A line as it stands after its last `\r`: see `TerminalText`. */
export function toLastDrawn(line: string): string {
  return line.slice(line.lastIndexOf("\r") + 1);
}
