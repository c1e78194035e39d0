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

/** A caller's pause after its work, as a multiple of its time. */
const PAUSES = 2;

/**
 * Does the work of a caller in sequence, with pauses for other callers: the work
 * takes all of the server, or of a core, for its time.
 */
export class PacedWork {
  #turns = new OneAtATime();
  /** Times until which callers pause. */
  #pauses = new Map<string, number>();

  constructor(
    private pause: (ms: number) => Promise<void> = (ms) =>
      new Promise((resolve) => setTimeout(resolve, ms)),
  ) {}

  /** @param mustPause Whether others have a use for the pause. */
  async do<T>(
    caller: string,
    work: () => T | Promise<T>,
    mustPause: () => boolean = () => true,
  ): Promise<T> {
    using _turn = await this.#turns.take(caller, NEVER);
    const pauseMs = (this.#pauses.get(caller) ?? 0) - performance.now();
    if (pauseMs > 0) await this.pause(pauseMs);
    const started = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      for (const [name, until] of this.#pauses) {
        if (until < now) this.#pauses.delete(name);
      }
      const ms = PAUSES * (now - started);
      if (mustPause()) this.#pauses.set(caller, now + ms);
    }
  }
}

const NEVER = new AbortController().signal;
