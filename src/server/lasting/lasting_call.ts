import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { Asking } from "../code_mode/approvals.ts";
import type { LogRequest } from "../live/log_messages.ts";
import type { ProgressRequest } from "../live/progress_sender.ts";
import type { Due } from "./due.ts";
import { Printed } from "./printed.ts";
import { Questions } from "./questions.ts";

/** A request of a client. */
export type ClientRequest = LogRequest & ProgressRequest;

/** A request as its call sees it, which may outlive it. */
export interface CallRequest extends ClientRequest {
  /** Absent if the call ends with its request. */
  lasting?: Pick<LastingCall, "due" | "printed" | "step">;
}

/** Answers a call. */
export type AnswerCall = (
  request: CallRequest,
  asking: Asking | undefined,
) => Promise<CallToolResult>;

/**
 * A call that may outlive its request. Until it is detached, it ends if its client
 * leaves the request that waits for it.
 */
export class LastingCall {
  /** The time at which its first request is to be answered. */
  readonly due: Due;
  /** Milliseconds for which its result is kept. */
  readonly keptMs: number;
  /** Of its first request. */
  readonly progressToken: string | number | undefined;
  readonly createdAt: Date = new Date();
  /** Not kept with the result, as questions are not. */
  printed: Printed;
  questions: Questions = new Questions();
  /** Its result, or the error of a call that could not be answered. */
  readonly result: Promise<CallToolResult>;
  /** Resolves once there is a result. */
  readonly over: Promise<void>;
  /** Whether it was cancelled before its end. */
  isCancelled = false;
  #updatedAt: Date = this.createdAt;
  #message: string | undefined;
  #isOver = false;
  #isDetached = false;
  /** The requests that wait for it, the latest last. */
  #waiting: ClientRequest[] = [];
  #onWaiting = Promise.withResolvers<void>();
  #left = new AbortController();

  /** @param atATime Questions that its client's user may be asked at a time; none if the client cannot ask. */
  constructor(
    readonly id: string,
    readonly owner: string,
    request: ClientRequest,
    call: AnswerCall,
    { atATime, due, keptMs, mostLive }: {
      atATime: number;
      due: Due;
      keptMs: number;
      mostLive?: number | undefined;
    },
  ) {
    this.printed = new Printed(mostLive);
    this.due = due;
    this.keptMs = keptMs;
    this.progressToken = request._meta?.progressToken;
    const asking: Asking | undefined = atATime === 0 ? undefined : {
      atATime,
      ask: (form, signal) => {
        this.onAsk();
        return this.questions.ask(form, signal);
      },
    };
    // It asks nothing before its registry knows it.
    this.result = Promise.resolve()
      .then(() => call(this.#toLasting(request), asking));
    this.over = this.result.then(() => {}, () => {}).then(() => {
      this.#isOver = true;
      this.#updatedAt = new Date();
      this.#release();
    });
  }

  /** Called before each question; may throw. */
  onAsk: () => void = () => {};
  /** Called as it is detached. */
  onDetached: () => void = () => {};

  /** Its result is kept, and nothing else that takes much memory. */
  #release(): void {
    this.printed = new Printed();
    // Requests that have waited for a question are held by it.
    this.questions = new Questions();
    this.onAsk = this.onDetached = () => {};
    this.#left = new AbortController();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get updatedAt(): Date {
    return this.#updatedAt;
  }

  /** What its progress said last. */
  get message(): string | undefined {
    return this.#message;
  }

  /** A request waits for it, until the returned value is disposed. */
  attend(request: ClientRequest): Disposable {
    const leave = () => {
      if (!this.#isDetached) this.#left.abort(request.signal.reason);
    };
    if (request.signal.aborted) leave();
    request.signal.addEventListener("abort", leave);
    const wait = (waiting: ClientRequest[]) => {
      this.#waiting = waiting;
      this.#onWaiting.resolve();
      this.#onWaiting = Promise.withResolvers();
    };
    wait([...this.#waiting, request]);
    return {
      [Symbol.dispose]: () => {
        request.signal.removeEventListener("abort", leave);
        wait(this.#waiting.filter((one) => one !== request));
      },
    };
  }

  /** Resolves once a request is the latest that waits, or is not any more. */
  async untilLatest(request: ClientRequest, isLatest = true): Promise<void> {
    while ((this.#waiting.at(-1) === request) !== isLatest) {
      await this.#onWaiting.promise;
    }
  }

  /** It is told that it has done a step. */
  step(message: string): void {
    this.#message = message;
    this.#updatedAt = new Date();
  }

  /** From now on, it does not end with a request. */
  detach(): void {
    if (this.#isDetached) return;
    this.#isDetached = true;
    this.onDetached();
  }

  get isDetached(): boolean {
    return this.#isDetached;
  }

  cancel(): void {
    if (this.#isOver) return;
    this.isCancelled = true;
    this.#updatedAt = new Date();
    this.#left.abort(new DOMException("The run was cancelled", "AbortError"));
  }

  /**
   * The first request, as the call sees it: its messages go to the request that
   * waits now, and nowhere if none does.
   */
  #toLasting(first: ClientRequest): CallRequest {
    const waiting = () => this.#waiting.at(-1);
    const token = () => waiting()?._meta?.progressToken;
    return {
      envelope: first.envelope,
      get _meta() {
        return { ...first._meta, progressToken: token() };
      },
      signal: this.#left.signal,
      log: async (...message) => await waiting()?.log(...message),
      notify: async (notification) => await waiting()?.notify(notification),
      lasting: this,
    };
  }
}
