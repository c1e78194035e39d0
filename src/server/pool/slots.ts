/** Slots for runs at a time, for pools that share a machine. */
export class Slots {
  #waiting = new Set<() => void>();

  constructor(private count: number) {}

  /** Slots that no run has. */
  get free(): number {
    return this.count;
  }

  /**
   * Takes a slot. If none is free, `retry` is called once a slot is, each pool in
   * its turn.
   */
  take(retry: () => void): boolean {
    const isFree = this.free > 0;
    if (isFree) this.count--;
    else this.#waiting.add(retry);
    return isFree;
  }

  give(): void {
    this.count++;
    // Later, as an answer is about to be sent.
    setTimeout(() => {
      for (const retry of this.#waiting) {
        if (this.free === 0) return;
        this.#waiting.delete(retry);
        retry();
      }
    });
  }
}
