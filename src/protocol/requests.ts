import { within } from "../deadline.ts";
import type { Channel, Ended } from "./channel.ts";
import type { AnyBody } from "./held_body.ts";
import { Window } from "./window.ts";

/** A process has ended with a request: it may have done it. */
export class LostError extends Error {
  override name = "LostError";
}

/** A question on its way; the process answers each once. */
export type Asked<Q> = Q & { ask: number };

/** An answer, or a step towards it; the bytes behind it are its body. */
export type Answered<A> =
  & A
  & { answer?: number; step?: number; body?: Uint8Array<ArrayBuffer> };

export interface RequestsOptions {
  /** The process, as the subject of a sentence: `the keeper`. */
  what: string;
  /** Time for an answer; undefined if there is no bound. */
  deadlineMs?: number;
  /** Requests that may be under way: others wait here. */
  most: number;
}

export interface AskOptions<A> {
  /** Whether it may be done twice: it is asked once more if the process ends. */
  again?: boolean;
  /** Takes the messages that come before the answer. */
  onStep?: ((step: A) => void) | undefined;
}

interface Reply<A> {
  answer: A;
  body?: Uint8Array<ArrayBuffer>;
}

interface Open<A> extends Pick<AskOptions<A>, "onStep"> {
  resolve(reply: Reply<A>): void;
  reject(error: unknown): void;
}

/**
 * Requests to a process. Its channel is opened with the first request, and with the
 * first one after the process has ended.
 */
export class Requests<Q extends object, A extends object> {
  #channel: Channel<Asked<Q>, Answered<A>> | undefined;
  #open = new Map<number, Open<A>>();
  #count = 0;
  #window: Window;

  constructor(
    private open: () => Channel<Asked<Q>, Answered<A>>,
    private options: RequestsOptions,
  ) {
    this.#window = new Window(options.most);
  }

  /**
   * Asks, once there is room for the request: requests arrive in their order.
   *
   * @throws {DeadlineError} If there is no answer in time; a later one is dropped.
   * @throws {LostError} If the process ends before it answers, or does not start.
   * @throws {RangeError} If the question is longer than a line may be.
   */
  async ask(
    question: Q,
    body?: AnyBody,
    options: AskOptions<A> = {},
  ): Promise<Reply<A>> {
    try {
      return await this.#askOnce(question, body, options);
    } catch (error) {
      if (!options.again || !(error instanceof LostError)) throw error;
      return await this.#askOnce(question, body, options);
    }
  }

  async #askOnce(
    question: Q,
    body: AnyBody | undefined,
    { onStep }: AskOptions<A>,
  ): Promise<Reply<A>> {
    const { what, deadlineMs } = this.options;
    const ask = ++this.#count;
    const { promise, resolve, reject } = Promise.withResolvers<Reply<A>>();
    await this.#window.pass(1, () => {
      if (!this.#channel) void this.#follow(this.#channel = this.open());
      this.#open.set(ask, { resolve, reject, onStep });
      this.#channel.send({ ...question, ask }, body).catch(reject);
      return Promise.resolve();
    });
    try {
      return await (deadlineMs === undefined
        ? promise
        : within(promise, deadlineMs, what));
    } finally {
      this.#open.delete(ask);
      this.#window.leave(1);
    }
  }

  async #follow(channel: Channel<Asked<Q>, Answered<A>>): Promise<void> {
    while (true) {
      const message = await channel.messages.next();
      if (isEnd(message)) return this.#lose(message);
      const { answer, step, body, ...said } = message;
      if (step !== undefined) this.#open.get(step)?.onStep?.(message);
      else if (answer !== undefined) {
        const reply = { answer: said as unknown as A, ...body && { body } };
        this.#open.get(answer)?.resolve(reply);
      }
    }
  }

  /** All requests under way are of this channel: the next request opens another. */
  #lose({ reason, code }: Ended): void {
    this.#channel = undefined;
    const { what } = this.options;
    const sentence = code === undefined
      ? `${what} does not start: ${reason}`
      : `${what} has ended (${reason})`;
    for (const { reject } of this.#open.values()) {
      reject(new LostError(sentence));
    }
    this.#open.clear();
  }
}

function isEnd<A extends object>(
  message: Answered<A> | Ended,
): message is Ended {
  return "type" in message && message.type === "ended" &&
    !("answer" in message);
}
