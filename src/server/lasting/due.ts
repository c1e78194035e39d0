/** The longest time of a timer. */
export const LONGEST_MS = 2 ** 31 - 1;

/** The time at which a request is to be answered, though its call goes on. */
export class Due implements Disposable {
  /** Resolves at that time. */
  readonly promise: Promise<void>;
  /** Milliseconds that the call itself has named. */
  namedMs: number | undefined;
  #resolve: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param ms Undefined if the request waits for the end of its call. */
  constructor(ms: number | undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.promise = promise;
    this.#resolve = resolve;
    if (ms !== undefined) this.#set(ms);
  }

  /** The call names the time, from now on. */
  name(ms: number): void {
    this.namedMs = ms;
    this.#set(ms);
  }

  /** It is now. */
  end(): void {
    this.#resolve();
  }

  /** It is once its client leaves the request, if the call goes on. */
  endWith(
    request: { signal: AbortSignal },
    call: { isDetached: boolean },
  ): void {
    const left = () => call.isDetached && this.#resolve();
    if (request.signal.aborted) left();
    request.signal.addEventListener("abort", left, { once: true });
  }

  #set(ms: number): void {
    clearTimeout(this.#timer);
    // A timer takes a millisecond at least, and more in a busy process.
    if (ms <= 0) return this.#resolve();
    this.#timer = setTimeout(this.#resolve, Math.min(ms, LONGEST_MS));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
