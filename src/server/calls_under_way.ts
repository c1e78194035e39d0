import type { Owner } from "./sessions/kept_session.ts";

/** The longest that code of a call may wait. */
export interface WaitLimit {
  ms: number;
  /** Tells the caller of a call that has waited so long. */
  describe(): string;
  /** Whether it is there for the call's request alone, which may be answered before. */
  isOfRequest?: boolean;
}

/** A call of a tool that has not been answered. */
export class CallUnderWay implements Disposable {
  /** Whether it was more than announced. */
  hasBegun = false;
  /** Milliseconds that its code has waited, once it waits no more. */
  waitedMs: number | undefined;
  #since: number | undefined;
  #limit: ReturnType<typeof setTimeout> | undefined;
  #isOfRequest = false;
  #over: Promise<void> | undefined;
  #leaving = new AbortController();
  #left = Promise.withResolvers<string>();

  constructor(
    readonly owner: Owner,
    private end: () => void,
  ) {}

  /** Whether its code has to run, and has not begun. */
  get isWaiting(): boolean {
    return this.#since !== undefined && this.waitedMs === undefined;
  }

  /** Its code has to run from now on. */
  wait(limit?: WaitLimit): void {
    this.#since = performance.now();
    this.#isOfRequest = limit?.isOfRequest === true;
    if (!limit || this.#over && this.#isOfRequest) return;
    const leave = () => this.leave(limit.describe());
    this.#limit = setTimeout(leave, limit.ms);
  }

  /** It outlives its request, and has its place until then. */
  outlive(over: Promise<void>): void {
    this.#over = over;
    if (this.#isOfRequest) clearTimeout(this.#limit);
  }

  /** Whether its request is answered, or need not be. */
  get isDetached(): boolean {
    return this.#over !== undefined;
  }

  /** Its code begins, or will not. */
  endWait(): void {
    clearTimeout(this.#limit);
    if (this.#since === undefined) return;
    this.waitedMs ??= performance.now() - this.#since;
  }

  /** Aborted as it leaves its place. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The answer to it, once it has left its place: its code does not run. */
  get left(): Promise<string> {
    return this.#left.promise;
  }

  /** Leaves its place, unless its code has begun. */
  leave(busy: string): void {
    if (!this.isWaiting) return;
    this.endWait();
    this.#left.resolve(busy);
    this.#leaving.abort();
  }

  /** Its request is answered. */
  [Symbol.dispose](): void {
    if (this.#over) void this.#over.then(this.end);
    else this.end();
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
