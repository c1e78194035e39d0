/** Numbers that look random, and are the same for the same seed. */
export class Random {
  #state: number;

  /** @param seed A whole number. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** True in this share of all cases. */
  isIn(share: number): boolean {
    return this.next() < share;
  }

  /** One of these. */
  pick<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.next() * items.length)];
  }

  /** One of these, by their weights. */
  pickByWeight<T extends { weight: number }>(
    items: readonly [T, ...T[]],
  ): T {
    let left = this.next() * items.reduce((sum, { weight }) => sum + weight, 0);
    return items.find(({ weight }) => (left -= weight) < 0) ?? items[0];
  }
}
