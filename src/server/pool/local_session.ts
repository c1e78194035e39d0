import { isOverWithin, untilAborted } from "../../deadline.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { CANCELLED } from "../../results/to_result.ts";
import {
  type BetweenRuns,
  GONE,
  LOST,
  type OrRefused,
  refusal,
  type RunOptions,
  type Saved,
  type Session,
  type SessionOptions,
  type TakePiece,
} from "./pool.ts";
import type { Sandbox } from "./sandbox.ts";

/** Time for a look to end when others wait for the session's place. */
const REST_MS = 2000;
/** Time for runs to end that are cancelled: longer than their process has. */
const CLOSE_MS = 2000;
const NOT_AT_REST: Saved = {
  reasons: [`it did not rest within ${REST_MS / 1000} s`],
  cause: "busy",
};

/** The session's side of its pool. */
export interface SessionHome {
  /** Gives a place to wait. */
  enter(): OrRefused<{ place: Disposable }>;
  /** Waits for a slot, which is to be given back. */
  take(options: SessionOptions): Promise<OrRefused<{ turn: Disposable }>>;
  /** Takes the sandbox back. */
  end(): void;
}

/** A session in a sandbox that it has for itself. */
export class LocalSession implements Session {
  #last: Promise<unknown> = Promise.resolve();
  #closing = new AbortController();
  #closed: Promise<void> | undefined;
  /** Whether its sandbox serves others, or is about to. */
  #hasEnded = false;
  /** Whether others have waited in vain for a look to end. */
  #isStuck = false;

  /** @param sandbox A ready sandbox. */
  constructor(private sandbox: Sandbox, private home: SessionHome) {}

  get isLost(): boolean {
    return this.#hasEnded || this.sandbox.isLost;
  }

  follow(events: BetweenRuns): void {
    this.sandbox.betweenRuns = events;
  }

  run(request: RunRequest, options: RunOptions = {}): Promise<RunResult> {
    const { place, refused } = this.home.enter();
    if (refused) return Promise.resolve(refused);
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([closing, options.signal ?? closing]);
    const all = { ...options, signal };
    const result = this.#waitForTurn(this.#last, place, all)
      .then((turn) => this.#runNow(turn, request, all));
    // It may have left before its turn.
    this.#last = Promise.allSettled([this.#last, result]).then(() => {});
    return result;
  }

  save(take: TakePiece, isUrgent = false): Promise<Saved> {
    const before = this.#last;
    const mayBegin = isUrgent
      ? isOverWithin(before, REST_MS)
      : before.then(() => true);
    const saved = mayBegin.then((isFree) => {
      if (isFree && !this.isLost) return this.sandbox.save(take);
      if (isFree) return GONE;
      this.#isStuck = true;
      void before.then(() => this.#isStuck = false);
      return NOT_AT_REST;
    });
    this.#last = Promise.allSettled([before, saved]);
    return saved;
  }

  close(): Promise<void> {
    // Runs that wait for a state that is gone are told that, by themselves.
    if (!this.isLost) this.#closing.abort();
    this.#closed ??= isOverWithin(this.#last, this.#isStuck ? 0 : CLOSE_MS)
      .then(() => {
        this.#hasEnded = true;
        this.home.end();
      });
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Keeps its place until it is its turn. */
  async #waitForTurn(
    before: Promise<unknown>,
    place: Disposable,
    options: RunOptions & { signal: AbortSignal },
  ): Promise<OrRefused<{ turn: Disposable }>> {
    using _place = place;
    try {
      await untilAborted(before, options.signal);
    } catch {
      return { refused: { ...CANCELLED, output: [] } };
    }
    if (this.isLost) return { refused: refusal("session-lost", LOST) };
    return await this.home.take(options);
  }

  async #runNow(
    { turn, refused }: OrRefused<{ turn: Disposable }>,
    request: RunRequest,
    options: RunOptions,
  ): Promise<RunResult> {
    if (refused) return refused;
    using _turn = turn;
    if (this.isLost) return refusal("session-lost", LOST);
    // Stopping a look could end the interpreter, and it is short.
    const wanted = request.look === undefined
      ? options
      : { ...options, ...NEVER };
    const result = await this.sandbox.run(request, wanted, { isKept: true });
    return result ?? refusal("session-lost", LOST);
  }
}

const NEVER = { signal: new AbortController().signal };
