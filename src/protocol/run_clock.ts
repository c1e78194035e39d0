/**
 * The time that a run has used. It stands while at least one call of the run waits
 * for its answer, for a bounded time in all; so a guest that keeps a call open has
 * that time, and no more.
 *
 * @example A call that waits
 * ```ts
 * import { RunClock } from "./run_clock.ts";
 * import { strictEqual } from "node:assert/strict";
 *
 * let now = 0;
 * const clock = new RunClock({ waitMs: 100, now: () => now });
 * now = 10;
 * clock.stand(1);
 * now = 60;
 * strictEqual(clock.usedMs, 10);
 * clock.goOn(1);
 * now = 65;
 * strictEqual(clock.usedMs, 15);
 * ```
 */
export class RunClock {
  #now: () => number;
  #waitMs: number;
  #eachMs: number;
  #started: number;
  /** Ids of the calls that wait. */
  #open = new Set<number>();
  /** The time since which some call waits. */
  #since = 0;
  /** Waits that are over. */
  #waited = 0;

  /**
   * @param options.waitMs Time for which it may stand in all; none if absent.
   * @param options.eachMs Time that each call adds to that of its wait, for the way
   * between the processes.
   */
  constructor(
    { waitMs = 0, eachMs = 0, now = () => performance.now() }: {
      waitMs?: number | undefined;
      eachMs?: number;
      now?: () => number;
    } = {},
  ) {
    this.#waitMs = waitMs;
    this.#eachMs = eachMs;
    this.#now = now;
    this.#started = now();
  }

  /** A call begins to wait for its answer. */
  stand(id: number): void {
    if (this.#waitMs <= 0) return;
    if (this.#open.size === 0) this.#since = this.#now();
    this.#open.add(id);
  }

  /** A call has its answer; other ids change nothing. */
  goOn(id: number): void {
    if (!this.#open.delete(id)) return;
    this.#waited += this.#eachMs;
    if (this.#open.size === 0) this.#waited += this.#now() - this.#since;
  }

  /** Time without the waits, in milliseconds. */
  get usedMs(): number {
    return this.#now() - this.#started - Math.min(this.#waits, this.#waitMs);
  }

  /** Whether the run has waited for all the time that it may. */
  get isOutOfWait(): boolean {
    return this.#waitMs > 0 && this.#waits >= this.#waitMs;
  }

  get #waits(): number {
    const open = this.#open.size > 0 ? this.#now() - this.#since : 0;
    return this.#waited + open;
  }
}
