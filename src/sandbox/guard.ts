/** Memory is filled with about 1 MiB in each ms. */
const WATCH_MS = 25;
/** A look takes a few µs, and a flood may bring 100,000 messages a second. */
const LEAST_MS = 1;

/**
 * Looks at a run every so often, and whenever its worker says something: a
 * worker that floods the loop on which timers run cannot put a look off.
 */
export class Guard implements Disposable {
  #checks = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #last = 0;

  /** Adds a check to each look; disposing the result removes the check. */
  add(check: () => void): Disposable {
    this.#checks.add(check);
    this.#timer ??= setInterval(() => this.#lookNow(), WATCH_MS);
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
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#checks.clear();
  }

  #lookNow(): void {
    this.#last = performance.now();
    for (const check of this.#checks) check();
  }
}
