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
