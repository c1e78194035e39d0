/** Bytes that are read at a time. */
const MOST = 64 * 1024;
const [LINE_FEED, RETURN] = [10, 13];

/** Standard input, which a prompt and code take from in turn, line by line. */
export class SharedInput {
  #held = new Uint8Array();
  #reading: Promise<boolean> | undefined;
  #turn = 0;

  /** @param isTerminal Whether the return key ends a line, too. */
  constructor(
    private source: { read(buffer: Uint8Array): Promise<number | null> },
    private isTerminal: boolean,
  ) {}

  /**
   * Takes bytes, up to the end of a line; null at the end of the input. A taker
   * that still waits when another one comes gets null.
   */
  async take(most = MOST): Promise<Uint8Array<ArrayBuffer> | null> {
    const turn = ++this.#turn;
    while (this.#held.length === 0) {
      // Reading cannot be taken back: the next taker gets what comes.
      this.#reading ??= this.#read().finally(() => this.#reading = undefined);
      if (!await this.#reading || turn !== this.#turn) return null;
    }
    const line = this.#held.indexOf(LINE_FEED) + 1 || this.#held.length;
    const taken = this.#held.subarray(0, Math.min(line, most));
    this.#held = this.#held.subarray(taken.length);
    return taken;
  }

  async #read(): Promise<boolean> {
    const buffer = new Uint8Array(MOST);
    const length = await this.source.read(buffer);
    if (length === null) return false;
    this.#held = buffer.subarray(0, length);
    if (this.isTerminal) {
      this.#held = this.#held.map((byte) => byte === RETURN ? LINE_FEED : byte);
    }
    return true;
  }
}
