import type { Owner } from "./sessions/kept_session.ts";

/** A call of a tool that has not been answered. */
export class CallUnderWay implements Disposable {
  /** Whether it was more than announced. */
  hasBegun = false;
  /** Whether its code has to run, and has not begun. */
  isWaiting = false;
  /** The answer to a call that has left its place to another caller. */
  busy: string | undefined;
  #leaving = new AbortController();

  constructor(
    readonly owner: Owner,
    private end: () => void,
  ) {}

  /** Aborted as it leaves its place. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  leave(busy: string): void {
    this.isWaiting = false;
    this.busy = busy;
    this.#leaving.abort();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

/** Calls of tools that have not been answered. */
export class CallsUnderWay {
  /** By the request of a call, if it has come by HTTP. */
  #calls = new Map<object, CallUnderWay>();
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
  announce(
    owner: Owner,
    request: Request,
    ended: Promise<void>,
  ): CallUnderWay {
    const call = this.#count(owner, request);
    void ended.then(() => call.hasBegun || call[Symbol.dispose]());
    return call;
  }

  /** Counts a call until the returned value is disposed. */
  enter(owner: Owner, request: object = {}): CallUnderWay {
    const call = this.#calls.get(request) ?? this.#count(owner, request);
    call.hasBegun = true;
    return call;
  }

  #count(owner: Owner, request: object): CallUnderWay {
    const call = new CallUnderWay(owner, () => this.#delete(request));
    this.#calls.set(request, call);
    return call;
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
