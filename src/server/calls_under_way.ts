import type { Owner } from "./sessions/kept_session.ts";

/** Calls of tools that have not been answered. */
export class CallsUnderWay {
  /** By the request of a call, if it has come by HTTP. */
  #calls = new Map<object, { owner: Owner }>();
  #after = new Map<object, () => void>();
  #onNone: () => void = () => {};

  get size(): number {
    return this.#calls.size;
  }

  /** Calls of a name, through whatever connection. */
  countOf(name: string): number {
    return this.#count((owner) => owner.name === name);
  }

  isConnectionBusy(connection: string): boolean {
    return this.#count((owner) => owner.connection === connection) > 0;
  }

  /** Counts a call that begins, or whose request ends before it begins. */
  announce(owner: Owner, request: Request, ended: Promise<void>): void {
    const call = { owner };
    this.#calls.set(request, call);
    void ended.then(() => {
      if (this.#calls.get(request) === call) this.#delete(request);
    });
  }

  /** Counts a call until the returned value is disposed. */
  enter(owner: Owner, request: object = {}): Disposable {
    this.#calls.set(request, { owner });
    return { [Symbol.dispose]: () => this.#delete(request) };
  }

  /** Resolves once there is none. */
  async none(): Promise<void> {
    while (this.size > 0) {
      await new Promise<void>((resolve) => this.#onNone = resolve);
    }
  }

  /** Acts once the call of a request has ended; at once if it has none. */
  after(request: Request, act: () => void): void {
    if (this.#calls.has(request)) this.#after.set(request, act);
    else act();
  }

  #delete(request: object): void {
    this.#calls.delete(request);
    this.#after.get(request)?.();
    this.#after.delete(request);
    if (this.size === 0) this.#onNone();
  }

  #count(counts: (owner: Owner) => boolean): number {
    let count = 0;
    for (const { owner } of this.#calls.values()) if (counts(owner)) count++;
    return count;
  }
}
