/** Upper bounds of buckets, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
  .concat(10, 30, 60, 300, Infinity);

/** Counts of durations, by size. */
export class Histogram {
  /** By bucket, each without those before it. */
  #counts = BOUNDS.map(() => 0);
  sum = 0;

  add(seconds: number): void {
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }

  /** For each bucket its upper bound, and the count of all up to it. */
  get cumulated(): { bound: number; count: number }[] {
    let count = 0;
    return BOUNDS.map((bound, index) => {
      count += this.#counts[index] ?? 0;
      return { bound, count };
    });
  }
}
