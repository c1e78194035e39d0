/** Lets a number of tasks be at work at a time; others wait, in their order. */
export class Semaphore {
  #waiting = new Set<() => void>();

  constructor(private free: number) {}

  /**
   * Waits for a turn, which ends when the returned value is disposed.
   *
   * @throws The signal's reason, if that aborts first.
   */
  async take(signal?: AbortSignal | null): Promise<Disposable> {
    signal?.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.#wait(signal);
    return { [Symbol.dispose]: () => this.#give() };
  }

  /** Tasks that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  #give(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.free++;
  }

  #wait(signal?: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        leave();
        resolve();
      };
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const leave = () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener("abort", abort);
      };
      this.#waiting.add(begin);
      signal?.addEventListener("abort", abort);
    });
  }
}
