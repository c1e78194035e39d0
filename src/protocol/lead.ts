/** Bytes that may be under way before a writer waits; a pipe holds as many. */
const LEAD = 1 << 16;

/**
 * Lets a writer go on while its last lines are under way, as far as these are few
 * bytes: lines that come meanwhile go out in one write.
 */
export class Lead {
  #underWay = 0;
  #failure: { error: unknown } | undefined;

  constructor(private most: number = LEAD) {}

  /**
   * Takes a line that is under way; waits until it is written if too much is.
   *
   * @throws The error of this line, or of a line before.
   */
  async take(bytes: number, written: Promise<unknown>): Promise<void> {
    this.#underWay += bytes;
    const over = written.then(
      () => void (this.#underWay -= bytes),
      (error) => void (this.#failure ??= { error }),
    );
    if (this.#underWay > this.most) await over;
    if (this.#failure) throw this.#failure.error;
  }
}
