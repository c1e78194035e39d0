import type { Owner } from "./sessions/kept_session.ts";

/** Calls of tools that have not been answered. */
export class CallsUnderWay {
  #owners = new Set<{ owner: Owner }>();
  #onNone: () => void = () => {};

  get size(): number {
    return this.#owners.size;
  }

  /** Calls of a name, through whatever connection. */
  countOf(name: string): number {
    return this.#count((owner) => owner.name === name);
  }

  isConnectionBusy(connection: string): boolean {
    return this.#count((owner) => owner.connection === connection) > 0;
  }

  /** Counts a call until the returned value is disposed. */
  enter(owner: Owner): Disposable {
    const call = { owner };
    this.#owners.add(call);
    return {
      [Symbol.dispose]: () => {
        this.#owners.delete(call);
        if (this.size === 0) this.#onNone();
      },
    };
  }

  /** Resolves once there is none. */
  async none(): Promise<void> {
    while (this.size > 0) {
      await new Promise<void>((resolve) => this.#onNone = resolve);
    }
  }

  #count(counts: (owner: Owner) => boolean): number {
    let count = 0;
    for (const { owner } of this.#owners) if (counts(owner)) count++;
    return count;
  }
}
