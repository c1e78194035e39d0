/**
 * How many runs there may be at a time, for pools that share a machine.
 *
 * A pool that finds all slots taken is called once a slot is free, each pool in
 * its turn.
 */
export class Slots {
  #free: number;
  #waiting = new Set<() => void>();

  /** @param count Runs at a time. */
  constructor(count: number) {
    this.#free = count;
  }

  /** Whether there is a slot to take. */
  get isFree(): boolean {
    return this.#free > 0;
  }

  /** Takes a slot if there is one. If not, `retry` is called once one is free. */
  take(retry: () => void): boolean {
    if (this.#free === 0) {
      this.#waiting.add(retry);
      return false;
    }
    this.#free--;
    return true;
  }

  /** Gives a slot back. */
  give(): void {
    this.#free++;
    // Later, as an answer is about to be sent.
    setTimeout(() => {
      for (const retry of this.#waiting) {
        if (this.#free === 0) return;
        this.#waiting.delete(retry);
        retry();
      }
    });
  }
}
