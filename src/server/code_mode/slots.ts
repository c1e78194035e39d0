/** A bound on work at a time; what comes later waits for its turn. */
export class Slots {
  #free: number;
  #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** @throws The signal's reason, if that is aborted before the turn. */
  async take(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.#free === 0) await this.#turn(signal);
    else this.#free--;
    return { [Symbol.dispose]: () => this.#leave() };
  }

  async #turn(signal?: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#waiting.delete(turn.resolve);
      turn.reject(signal?.reason);
    };
    this.#waiting.add(turn.resolve);
    signal?.addEventListener("abort", giveUp, { once: true });
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Hands the place on, so that a later caller cannot take it first. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
