/** A caller's pause after a reading, as a multiple of its time. */
const PAUSES = 2;

/**
 * Has the large messages of a caller read in sequence, with pauses for other
 * callers: reading a message takes all of the server for its time.
 */
export class ReadingTurns {
  /** By caller, until its last reading and the pause after it are over. */
  #last = new Map<string, Promise<void>>();

  constructor(
    private pause: (ms: number) => Promise<void> = (ms) =>
      new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  async take<T>(caller: string, read: () => T): Promise<T> {
    const before = this.#last.get(caller);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(caller, promise);
    await before;
    const started = performance.now();
    try {
      return read();
    } finally {
      const ms = PAUSES * (performance.now() - started);
      void this.pause(ms).then(() => {
        resolve();
        if (this.#last.get(caller) === promise) this.#last.delete(caller);
      });
    }
  }
}
