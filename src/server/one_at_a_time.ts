import { Semaphore } from "../semaphore.ts";

/** Has each caller do a thing at a time, in the order in which it asks. */
export class OneAtATime {
  /** By caller, with the turns that it has or waits for. */
  #callers = new Map<string, { semaphore: Semaphore; turns: number }>();

  /**
   * Waits for a caller's turn, which ends when the returned value is disposed.
   *
   * @throws The signal's reason, if that aborts first.
   */
  async take(caller: string, signal: AbortSignal): Promise<Disposable> {
    const own = this.#callers.get(caller) ??
      { semaphore: new Semaphore(1), turns: 0 };
    this.#callers.set(caller, own);
    own.turns++;
    const leave = () => {
      if (--own.turns === 0) this.#callers.delete(caller);
    };
    try {
      const turn = await own.semaphore.take(signal);
      const end = () => {
        turn[Symbol.dispose]();
        leave();
      };
      return { [Symbol.dispose]: end };
    } catch (error) {
      leave();
      throw error;
    }
  }
}
