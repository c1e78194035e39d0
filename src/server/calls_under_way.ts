import type { Owner } from "./sessions/kept_session.ts";

/** Calls of tools that have not been answered. */
export class CallsUnderWay {
  /** By the request of a call, if it has come by HTTP. */
  #calls = new Map<object, { owner: Owner }>();
  #after = new Map<object, (() => void)[]>();
  #onNone: () => void = () => {};

  get size(): number {
    return this.#calls.size;
  }

  isConnectionBusy(connection: string): boolean {
    return this.#calls.values()
      .some(({ owner }) => owner.connection === connection);
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
    if (!this.#calls.has(request)) return act();
    this.#after.set(request, [...this.#after.get(request) ?? [], act]);
  }

  #delete(request: object): void {
    this.#calls.delete(request);
    for (const act of this.#after.get(request) ?? []) act();
    this.#after.delete(request);
    if (this.size === 0) this.#onNone();
  }
}
