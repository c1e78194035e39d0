const ESCAPE = "\x1b";
/** Characters of an escape of each form; a longer escape is text. */
const MOST = { csi: 60, osc: 2000 };
const CSI = `\\[[0-?]{0,${MOST.csi}}[ -/]{0,4}`;
const OSC = `\\][^\\x07${ESCAPE}]{0,${MOST.osc}}`;
/** A newline, a move of the cursor, an escape, or text. */
const TOKENS = new RegExp(
  `[\\n\\r\\x08]|${ESCAPE}(?:${CSI}[@-~]|${OSC}(?:\\x07|${ESCAPE}\\\\)|[ -/]{0,4}[0-~])?|[^\\n\\r\\x08${ESCAPE}]+`,
  "g",
);
/** The start of an escape whose end is to come. */
const STARTED = new RegExp(
  `${ESCAPE}(?:${CSI}|${OSC}${ESCAPE}?|[ -/]{0,4})?$`,
);
const MOVES = new RegExp(`[\\r\\x08${ESCAPE}]`);
const MOVE = new RegExp(`^${ESCAPE}\\[(\\d*)([ABCDGK])$`);

/** Characters of a line that can be drawn again; a `\r` ends a longer line. */
const LONGEST_ROW = 2_000;
/** Columns that a move reaches beyond the text, as a terminal ends somewhere: a move is short, and would cost a row. */
const WIDTH = 200;
/** Lines that `\x1b[A` can reach, as `tqdm` has a line for each bar. */
const MOST_ROWS = 24;

interface Row {
  /** Code points: each takes one place, be it wide or a combining mark. */
  cells: string[];
  /** Whether the cursor has gone back in it. */
  hasMoved: boolean;
  /** Whether there was text after that, so that more of the kind may come. */
  isDrawn: boolean;
}

/**
 * Resolves what a stream prints as a terminal does: `\r`, backspaces, erased lines,
 * and moves of the cursor over the last few lines. Colours and other escapes go.
 *
 * Text passes at once; a line that is drawn again waits for its end. If a part has
 * passed by then, and is not the line's start, a `\r` and the line take its place:
 * `toLines()` and `MergedOutput` know it. What it keeps is bounded.
 */
export class TerminalText {
  /** The last line as far as it has passed, in case it is drawn again. */
  #passed = "";
  /** Whether the last line is too long for that. */
  #isLong = false;
  /** Lines that wait, the first with what has passed of it; most often none. */
  #rows: Row[] = [];
  #row = 0;
  #column = 0;
  #started = "";

  /** Gives the text that may pass now. */
  push(text: string): string {
    const all = this.#started + text;
    this.#started = "";
    if (this.#rows.length === 0 && !MOVES.test(all)) return this.#pass(all);
    [this.#started = ""] = STARTED.exec(all) ?? [];
    const whole = all.slice(0, all.length - this.#started.length);
    let passing = "";
    for (const [token] of whole.matchAll(TOKENS)) passing += this.#take(token);
    return passing;
  }

  /** Gives the lines that have come to an end and may pass: another stream goes on. */
  pause(): string {
    const isAtStart = this.#row === this.#rows.length - 1 &&
      this.#rows[this.#row]?.cells.length === 0;
    return isAtStart ? this.#release() : "";
  }

  /** Gives the rest. */
  finish(): string {
    const rest = this.#release().replace(/\n+$/, "\n");
    return rest + this.#pass(this.#started);
  }

  #take(token: string): string {
    if (token === "\n") return this.#endLine();
    const isMove = MOVES.test(token);
    const [, count, move] = MOVE.exec(token) ?? [];
    if (isMove && token.startsWith(ESCAPE) && move === undefined) return "";
    if (this.#rows.length === 0) {
      if (!isMove) return this.#pass(token);
      if (this.#isLong) return token === "\r" ? this.#pass("\n") : "";
      this.#hold();
    }
    if (!isMove) return this.#write(token);
    if (move === "K") this.#erase(Number(count));
    else this.#move(move ?? token, Number(count) || 1);
    return "";
  }

  #pass(text: string): string {
    const start = text.lastIndexOf("\n") + 1;
    const open = start > 0 ? text.slice(start) : this.#passed + text;
    this.#isLong = open.length > LONGEST_ROW || this.#isLong && start === 0;
    this.#passed = this.#isLong ? "" : open;
    return text;
  }

  #hold(): void {
    this.#rows = [{ ...toRow(), cells: [...this.#passed] }];
    this.#row = 0;
    this.#column = this.#current.cells.length;
  }

  #endLine(): string {
    if (this.#rows.length === 0) return this.#pass("\n");
    const { isDrawn } = this.#current;
    this.#column = 0;
    if (++this.#row < this.#rows.length) return "";
    this.#rows.push(toRow());
    if (!isDrawn) return this.#release();
    return this.#rows.length > MOST_ROWS ? this.#releaseFirst() : "";
  }

  #write(text: string): string {
    const row = this.#current;
    row.isDrawn ||= row.hasMoved;
    while (row.cells.length < this.#column) row.cells.push(" ");
    const characters = [...text];
    for (const [at, character] of characters.entries()) {
      if (this.#column >= LONGEST_ROW) {
        return this.#release() + this.#pass(characters.slice(at).join(""));
      }
      row.cells[this.#column++] = character;
    }
    return "";
  }

  #erase(part: number): void {
    const { cells } = this.#current;
    this.#current.hasMoved = this.#current.isDrawn = true;
    if (part === 1) cells.fill(" ", 0, this.#column + 1);
    else cells.length = part === 2 ? 0 : Math.min(cells.length, this.#column);
  }

  #move(move: string, by: number): void {
    const last = this.#rows.length - 1;
    if (move === "A") this.#row = Math.max(0, this.#row - by);
    if (move === "B") this.#row = Math.min(last, this.#row + by);
    if (move === "\r") this.#column = 0;
    if (move === "G") this.#column = by - 1;
    if (move === "C") this.#column += by;
    if (move === "D" || move === "\b") this.#column -= by;
    const end = Math.max(WIDTH, this.#current.cells.length);
    this.#column = Math.min(Math.max(0, this.#column), end);
    this.#current.hasMoved = true;
  }

  get #current(): Row {
    // There is a row wherever the cursor is.
    return this.#rows[this.#row] ??= toRow();
  }

  /** Lets all lines that wait pass. */
  #release(): string {
    let passing = "";
    while (this.#rows.length > 1) passing += this.#releaseFirst();
    const [last] = this.#rows.splice(0);
    return last ? passing + this.#passRow(last) : passing;
  }

  #releaseFirst(): string {
    const [first = toRow()] = this.#rows.splice(0, 1);
    this.#row = Math.max(0, this.#row - 1);
    return this.#passRow(first) + this.#pass("\n");
  }

  #passRow({ cells, isDrawn }: Row): string {
    // A bar covers a longer bar with spaces.
    const text = isDrawn ? cells.join("").trimEnd() : cells.join("");
    const before = this.#passed;
    this.#passed = "";
    this.#pass(text);
    return text.startsWith(before) ? text.slice(before.length) : `\r${text}`;
  }
}

const toRow = (): Row => ({ cells: [], hasMoved: false, isDrawn: false });
