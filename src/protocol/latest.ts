/** Names that are kept apart; more are dropped. */
const MOST_NAMES = 16;

/**
 * Passes on the latest item of each name, at most every so often: a flood costs
 * no more than a trickle, and the last one always arrives.
 */
export class Latest<T> {
  #held = new Map<string, T>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private quietMs: number, private pass: (item: T) => void) {}

  /** Passes an item on, now or later, unless a later one takes its place. */
  push(name: string, item: T): void {
    if (this.#held.size < MOST_NAMES || this.#held.has(name)) {
      this.#held.set(name, item);
    }
    if (this.#timer === undefined) this.#passHeld();
  }

  /** Passes on the items that are held; the next item is passed on at once. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const items = [...this.#held.values()];
    this.#held.clear();
    for (const item of items) this.pass(item);
  }

  #passHeld(): void {
    const hasSome = this.#held.size > 0;
    this.flush();
    if (hasSome) {
      this.#timer = setTimeout(() => this.#passHeld(), this.quietMs);
    }
  }
}
