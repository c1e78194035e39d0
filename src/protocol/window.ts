/**
 * Bytes that are under way to a reader: a line waits while there are too many.
 *
 * @example A line waits until the reader has taken the lines before
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * const window = new Window(10);
 * const written: string[] = [];
 * const write = (line: string) => () => Promise.resolve(void written.push(line));
 * await window.pass(100, write("long"));
 * const next = window.pass(1, write("next"));
 * assertEquals([window.waiting, written], [1, ["long"]]);
 * window.leave(100);
 * await next;
 * assertEquals([window.waiting, written], [0, ["long", "next"]]);
 * ```
 */
export class Window {
  #limit: number;
  #underWay = 0;
  #queue: { bytes: number; pass: () => void }[] = [];
  #waiting = 0;
  #onLess = () => {};

  /** @param limit Bytes under way at which a line waits; one line may go beyond. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that wait for their turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Waits until fewer bytes wait for their turn. */
  async below(bytes: number): Promise<void> {
    while (this.#waiting >= bytes) {
      await new Promise<void>((resolve) => this.#onLess = resolve);
    }
  }

  /** Writes a line of so many bytes, now or in its turn. */
  pass(bytes: number, write: () => Promise<void>): Promise<void> {
    // While there is room, no line waits.
    if (this.#underWay < this.#limit) {
      this.#underWay += bytes;
      return write();
    }
    this.#waiting += bytes;
    return new Promise((resolve) =>
      this.#queue.push({ bytes, pass: () => resolve(write()) })
    );
  }

  /** Notes that the reader has taken so many bytes. */
  leave(bytes: number): void {
    this.#underWay -= bytes;
    while (this.#underWay < this.#limit) {
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
 * The reader's side: tells now and then how many bytes it has taken, so that
 * short lines cost no message each.
 */
export class Receipts {
  #step: number;
  #tell: (bytes: number) => void;
  #taken = 0;

  /** @param limit The limit of the writer's window. */
  constructor(limit: number, tell: (bytes: number) => void) {
    // Below the limit, so that a writer never waits for a receipt that is late.
    this.#step = limit / 4;
    this.#tell = tell;
  }

  /** Notes that so many bytes were taken. */
  take(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < this.#step) return;
    this.#tell(this.#taken);
    this.#taken = 0;
  }
}
