import { messageOf } from "../../errors.ts";
import {
  type FailureKind,
  type FromBridge,
  parseFromBridge,
  type ToBridge,
} from "../../protocol/bridge_messages.ts";
import type { Channel, Ended } from "../../protocol/channel.ts";

/** A message of a bridge that is outside the protocol has its own word. */
type Heard = FromBridge | { type: "outside" };

/** A bridge, beyond the broker. */
export type BridgeProcess = Channel<ToBridge, Heard>;

export type BridgeMessage = Heard | Ended;

/** Reads a message of a bridge. */
export function readFromBridge(message: unknown): Heard {
  return parseFromBridge(message) ?? { type: "outside" };
}

/** Time, as tests can set it. */
export interface Clock {
  /** In milliseconds. */
  now(): number;
  /** Does work later; the result takes that back. */
  after(ms: number, work: () => void): () => void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
};

type Answer = Exclude<FromBridge, { type: "changed" | "ending" | "failed" }>;

type Timed<T> = T extends { id: number } ? Omit<T, "id"> : never;

export type BridgeRequest = Timed<
  Extract<ToBridge, { type: "list" | "call" | "ask" }>
>;

interface AskOptions {
  signal?: AbortSignal | undefined;
  /** Time after which a bridge that does not answer is given up. */
  mostMs: number;
}

interface Watcher {
  onChanged(): void;
  /** Called once, if it is of no more use and was not asked to end. */
  onDown(reason: string): void;
}

/** A request without an answer; the reason completes "… did not answer: ". */
export class Unanswered extends Error {
  constructor(public readonly kind: FailureKind, reason: string) {
    super(reason);
  }
}

/** A bridge that runs, with the requests that are open at it. */
export class RunningBridge {
  #open = new Map<number, PromiseWithResolvers<Answer>>();
  #count = 0;
  #isDown = false;
  #isKilled = false;

  constructor(
    private readonly process: BridgeProcess,
    private readonly clock: Clock,
    private readonly watcher: Watcher,
  ) {
    void this.#read();
  }

  get openRequests(): number {
    return this.#open.size;
  }

  /** @throws {Unanswered} If there is no answer. */
  async ask(
    request: BridgeRequest,
    { signal, mostMs }: AskOptions,
  ): Promise<Answer> {
    if (signal?.aborted) throw givenUp(signal);
    const id = ++this.#count;
    const answer = Promise.withResolvers<Answer>();
    this.#open.set(id, answer);
    const leave = (error: Unanswered) => {
      this.process.send({ type: "cancel", id }).catch(() => {});
      answer.reject(error);
    };
    const onAbort = () => signal && leave(givenUp(signal));
    signal?.addEventListener("abort", onAbort, { once: true });
    const stop = this.clock.after(mostMs, () => {
      leave(new Unanswered("timeout", "there was no answer in time"));
    });
    this.process.send({ ...request, id }).catch((error) =>
      answer.reject(new Unanswered("size", messageOf(error)))
    );
    try {
      return await answer.promise;
    } finally {
      stop();
      signal?.removeEventListener("abort", onAbort);
      this.#open.delete(id);
      this.#maybeKill();
    }
  }

  /** Tells it something that is not answered. */
  tell(message: ToBridge & { type: "notify" }): void {
    this.process.send(message).catch(() => {});
  }

  /** Has it end once its open requests are answered. */
  retire(): void {
    this.#isDown = true;
    this.#maybeKill();
  }

  async #read(): Promise<void> {
    while (true) {
      const message = await this.process.messages.next();
      if (message.type === "ended") {
        this.#isKilled = true;
        const reason = message.code === undefined
          ? message.reason
          : `its bridge has ended (${message.reason})`;
        this.#fall(reason);
        for (const { reject } of this.#open.values()) {
          reject(new Unanswered("connection", reason));
        }
        return;
      }
      this.#take(message);
    }
  }

  #take(message: Exclude<BridgeMessage, { type: "ended" }>): void {
    switch (message.type) {
      case "changed":
        return this.watcher.onChanged();
      case "ending":
        return this.#fall(message.reason);
      case "outside":
        this.#fall("its bridge broke the protocol");
        return this.#kill();
      case "failed": {
        const { id, kind, reason } = message;
        this.#open.get(id)?.reject(new Unanswered(kind, reason));
        if (kind === "connection") this.#fall(reason);
        return;
      }
      default:
        this.#open.get(message.id)?.resolve(message);
    }
  }

  /** Of a server that is gone, a new bridge has to be made. */
  #fall(reason: string): void {
    if (this.#isDown) return;
    this.#isDown = true;
    this.watcher.onDown(reason);
    this.#maybeKill();
  }

  #maybeKill(): void {
    if (this.#isDown && this.#open.size === 0) this.#kill();
  }

  #kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    this.process.kill();
  }
}

function givenUp({ reason }: AbortSignal): Unanswered {
  return new Unanswered("timeout", `it was given up: ${messageOf(reason)}`);
}
