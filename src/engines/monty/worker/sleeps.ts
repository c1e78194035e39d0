import type { BridgeAnswer } from "./instance.ts";

/** The longest time of a timer. */
const LONGEST_MS = 2 ** 31 - 1;
const DONE: BridgeAnswer = { value: "None" };

/** The sleeps of a run, of which some are awaited together. */
export class Sleeps {
  #pending = new Map<number, Promise<number>>();
  #timers = new Set<ReturnType<typeof setTimeout>>();

  sleep(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const ms = Math.min(seconds * 1000, LONGEST_MS);
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        resolve();
      }, ms);
      this.#timers.add(timer);
    });
  }

  /** Begins a sleep that a call does not wait for. */
  begin(id: number, seconds: number): void {
    this.#pending.set(id, this.sleep(seconds).then(() => id));
  }

  /** Waits until one of these sleeps is over. */
  async next(
    ids: readonly number[],
  ): Promise<[id: number, answer: BridgeAnswer][]> {
    const pending = ids.flatMap((id) => this.#pending.get(id) ?? []);
    const id = await Promise.race(pending);
    this.#pending.delete(id);
    return [[id, DONE]];
  }

  /** Ends the timers: the run is over. */
  forget(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#pending.clear();
  }
}
