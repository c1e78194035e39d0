/** Bytes that are under way to a reader: a line waits while there are too many. */
export class Window {
  #underWay = 0;
  #queue: { bytes: number; pass: () => void }[] = [];
  #waiting = 0;
  #onLess = () => {};

  /** @param limit Bytes under way at which a line waits; one line may go beyond. */
  constructor(private limit: number) {}

  /** Bytes that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  async below(bytes: number): Promise<void> {
    while (this.#waiting >= bytes) {
      await new Promise<void>((resolve) => this.#onLess = resolve);
    }
  }

  /** Writes a line of so many bytes, now or in its turn. */
  pass<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    // While there is room, no line waits.
    if (this.#underWay < this.limit) {
      this.#underWay += bytes;
      return write();
    }
    this.#waiting += bytes;
    return new Promise((resolve) =>
      this.#queue.push({ bytes, pass: () => resolve(write()) })
    );
  }

  leave(bytes: number): void {
    this.#underWay -= bytes;
    while (this.#underWay < this.limit) {
      const next = this.#queue.shift();
      if (!next) return;
      this.#waiting -= next.bytes;
      this.#underWay += next.bytes;
      next.pass();
      this.#onLess();
    }
  }
}

/**
 * The reader's side: tells now and then how many bytes it has taken, so that short
 * lines cost no message each.
 */
export class Receipts {
  #step: number;
  #taken = 0;

  /** @param limit The limit of the writer's window. */
  constructor(limit: number, private tell: (bytes: number) => void) {
    // Below the limit, so that a writer never waits for a receipt that is late.
    this.#step = limit / 4;
  }

  take(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < this.#step) return;
    this.tell(this.#taken);
    this.#taken = 0;
  }
}

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
