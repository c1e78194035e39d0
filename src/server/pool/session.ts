import type { RunRequest } from "../../protocol/run_messages.ts";
import type { RunResult } from "../../protocol/run_result.ts";
import { CANCELLED, type Ended, toResult } from "../../results/to_result.ts";
import type { RunOptions, Session, SessionOptions } from "./pool.ts";
import type { Sandbox, Saved, TakePiece } from "./sandbox.ts";

/** A slot of the pool; to be given back. */
export type SessionTurn = Disposable;

/** The session's side of its pool. */
export interface SessionHome {
  /** Gives a place to wait; or the result of a run for which there is none. */
  enter(): Disposable | RunResult;
  /** Waits for a slot; gives the result of a run that cannot have a slot. */
  take(options: SessionOptions): Promise<SessionTurn | RunResult>;
  /** Takes the sandbox back. */
  end(): void;
}

/** A session in a sandbox that it has for itself. */
export class LocalSession implements Session {
  #last: Promise<unknown> = Promise.resolve();
  #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /** @param sandbox A ready sandbox. */
  constructor(private sandbox: Sandbox, private home: SessionHome) {}

  get isLost(): boolean {
    return this.sandbox.isLost;
  }

  run(request: RunRequest, options: RunOptions = {}): Promise<RunResult> {
    const place = this.home.enter();
    if (!(Symbol.dispose in place)) return Promise.resolve(place);
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([closing, options.signal ?? closing]);
    const all = { ...options, signal };
    const result = this.#waitForTurn(this.#last, place, all)
      .then((turn) => this.#runNow(turn, request, all));
    this.#last = result.catch(() => {});
    return result;
  }

  save(take: TakePiece): Promise<Saved> {
    const saved = this.#last.then(() => this.sandbox.save(take));
    this.#last = saved.catch(() => {});
    return saved;
  }

  close(): Promise<void> {
    this.#closing.abort();
    this.#closed ??= this.#last.then(() => this.home.end());
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Keeps its place until it is its turn. */
  async #waitForTurn(
    before: Promise<unknown>,
    place: Disposable,
    options: RunOptions,
  ): Promise<SessionTurn | RunResult> {
    using _place = place;
    await before;
    if (options.signal?.aborted) return refuse(CANCELLED);
    return this.isLost ? refuse(LOST) : await this.home.take(options);
  }

  async #runNow(
    turn: SessionTurn | RunResult,
    request: RunRequest,
    options: RunOptions,
  ): Promise<RunResult> {
    if (!(Symbol.dispose in turn)) return turn;
    using _turn = turn;
    // Stopping a look could end the interpreter, and it is short.
    const wanted = request.look === undefined
      ? options
      : { ...options, ...NEVER };
    const result = await this.sandbox.run(request, wanted, { isKept: true });
    return result ?? refuse(LOST);
  }
}

const NEVER = { signal: new AbortController().signal };

const LOST: Ended["ending"] = {
  status: "session-lost",
  error:
    "The interpreter of this session has ended, and with it the session's variables and files. Open a new session.",
};

function refuse(ending: Ended["ending"]): RunResult {
  return toResult({ ending }, "", null);
}
