/** Memory is filled with about 1 MiB in each ms. */
const WATCH_MS = 25;
/** A look takes a few µs, and a flood may bring 100,000 messages a second. */
const LEAST_MS = 1;
/** To wake for a look takes 0.2 ms of CPU time. */
const LONGEST_MS = 1000;

/** The result says whether it is calm: looks may then come less often. */
type Check = () => boolean | void;

/**
 * Looks at a run every so often, and whenever its worker says something: a
 * worker that floods the loop on which timers run cannot put a look off.
 */
export class Guard implements Disposable {
  #checks = new Set<Check>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = 0;

  /** Adds a check to each look; disposing the result removes the check. */
  add(check: Check): Disposable {
    this.#checks.add(check);
    this.#watch(WATCH_MS);
    return {
      [Symbol.dispose]: () => {
        this.#checks.delete(check);
        if (this.#checks.size === 0) this[Symbol.dispose]();
      },
    };
  }

  /** Looks, unless the last look was just now. */
  look(): void {
    if (performance.now() - this.#last >= LEAST_MS) this.#lookNow();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#checks.clear();
  }

  /** Looks after a time, and then less and less often while all is calm. */
  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const isCalm = this.#lookNow();
      if (this.#checks.size === 0) return;
      this.#watch(isCalm ? Math.min(4 * ms, LONGEST_MS) : WATCH_MS);
    }, ms);
  }

  #lookNow(): boolean {
    this.#last = performance.now();
    return [...this.#checks].map((check) => check()).every(Boolean);
  }
}
