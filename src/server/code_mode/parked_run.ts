import {
  type CallToolResult,
  type ElicitRequestFormParams,
  inputRequired,
  type InputRequiredResult,
} from "../../../deps/mcp_server.ts";
import { isOverWithin, untilAborted } from "../../deadline.ts";
import { fields } from "../../protocol/fields.ts";
import { invalidParams } from "../error_codes.ts";
import type { LogRequest } from "../live/log_messages.ts";
import type { ProgressRequest } from "../live/progress_sender.ts";
import type { Asking } from "./approvals.ts";

/** A request of a client, as a call sees it that may outlive it. */
export type CallRequest = LogRequest & ProgressRequest;

/** Answers a call. */
export type AnswerCall = (
  request: CallRequest,
  asking: Asking | undefined,
) => Promise<CallToolResult>;

/** A request that carries on a call. */
export interface Round {
  request: CallRequest;
  /** The client's answers, by key; data of a client. */
  answers: unknown;
  /** Seals the number of the round that comes next. */
  seal(round: number): Promise<string>;
}

type Answer = CallToolResult | InputRequiredResult;

/** Questions of a round; others wait for the next. */
const MOST_QUESTIONS = 20;
/** Time from a first question, in which others join its round. */
const GATHER_MS = 50;

interface Question {
  form: ElicitRequestFormParams;
  /** The round that asks it; undefined before that. */
  round?: number;
  answer(data: unknown): void;
}

/**
 * A call of a client of the later era, which is answered in rounds: each request
 * is answered with questions, and the next request brings the answers. The call
 * goes on meanwhile; it ends if a client leaves the request that waits for it.
 */
export class ParkedRun {
  /** The last round that a client was asked in; the first is 1. */
  #round = 0;
  /** The last round with its answers. */
  #answered = 0;
  #questions = new Map<string, Question>();
  #count = 0;
  #onQuestion = () => {};
  /** The answer to the requests of the latest round. */
  #latest: Promise<Answer> | undefined;
  #waiting: CallRequest | undefined;
  #left = new AbortController();
  #isOver = false;
  #result: Promise<CallToolResult>;
  /** Resolves once there is a result. */
  readonly over: Promise<void>;

  /** @param onAsk Called before each question; may throw. */
  constructor(
    { request }: Pick<Round, "request">,
    call: AnswerCall,
    private onAsk: () => void,
  ) {
    this.#waiting = request;
    this.#result = call(this.#toLasting(request), {
      atATime: MOST_QUESTIONS,
      ask: (form, signal) => this.#ask(form, signal),
    });
    this.over = this.#result.then(() => {}, () => {})
      .then(() => void (this.#isOver = true));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The answer to the first request. */
  begin(round: Round): Promise<Answer> {
    return this.#latest = this.#next(round);
  }

  /**
   * The answer to a further request. A repeated request gets the first one's answer
   * again: the first one's answers count.
   *
   * @param asked The round that the request answers.
   * @throws {ProtocolError} If the round has passed.
   */
  resume(asked: number, round: Round): Promise<Answer> {
    if (asked === this.#round && asked > this.#answered) {
      this.#answered = asked;
      this.#takeAnswers(fields(round.answers));
      this.#latest = this.#next(round);
    }
    if (asked === this.#answered && this.#latest) return this.#latest;
    throw invalidParams(
      `requestState is of round ${asked} of this call, which has been answered: the call waits for the answers of round ${this.#round}`,
    );
  }

  /** A question of the round that has no answer is answered by that. */
  #takeAnswers(answers: Record<string, unknown>): void {
    for (const [key, question] of this.#questions) {
      if (question.round !== this.#round) continue;
      this.#questions.delete(key);
      question.answer(answers[key]);
    }
  }

  async #next({ request, seal }: Round): Promise<Answer> {
    const leave = () => this.#left.abort(request.signal.reason);
    if (request.signal.aborted) leave();
    request.signal.addEventListener("abort", leave);
    this.#waiting = request;
    try {
      while (!this.#isOver && this.#questions.size === 0) {
        await this.#questionsOrEnd();
      }
      if (this.#isOver) return await this.#result;
      const round = ++this.#round;
      const forms = [...this.#questions].map(([key, question]) => {
        question.round = round;
        return [key, inputRequired.elicit(question.form)] as const;
      });
      return inputRequired({
        inputRequests: Object.fromEntries(forms),
        requestState: await seal(round),
      });
    } finally {
      request.signal.removeEventListener("abort", leave);
      this.#waiting = undefined;
    }
  }

  /** Waits for the end, or for questions that are asked at a time. */
  async #questionsOrEnd(): Promise<void> {
    const asked = new Promise<void>((resolve) => this.#onQuestion = resolve);
    await Promise.race([this.over, asked]);
    if (this.#isOver) return;
    await isOverWithin(this.over, GATHER_MS);
  }

  async #ask(
    form: ElicitRequestFormParams,
    signal: AbortSignal,
  ): Promise<unknown> {
    signal.throwIfAborted();
    this.onAsk();
    const key = `approval-${++this.#count}`;
    const { promise, resolve: answer } = Promise.withResolvers<unknown>();
    this.#questions.set(key, { form, answer });
    this.#onQuestion();
    return await untilAborted(promise, signal)
      .finally(() => this.#questions.delete(key));
  }

  /**
   * The first request, as the call sees it: its messages go to the request that
   * waits now, and nowhere between two.
   */
  #toLasting({ envelope, _meta }: CallRequest): CallRequest {
    const waiting = () => this.#waiting;
    const token = _meta?.progressToken;
    return {
      envelope,
      _meta,
      signal: this.#left.signal,
      log: async (...message) => await waiting()?.log(...message),
      async notify(notification) {
        const request = waiting();
        if (request?._meta?.progressToken === token) {
          await request?.notify(notification);
        }
      },
    };
  }
}
