import {
  type CallToolResult,
  inputRequired,
  type InputRequiredResult,
} from "../../../deps/mcp_server.ts";
import { isOverWithin } from "../../deadline.ts";
import { fields } from "../../protocol/fields.ts";
import { invalidParams } from "../error_codes.ts";
import type { ClientRequest, LastingCall } from "./lasting_call.ts";

/** A request that begins a call, carries it on, or waits for it. */
export interface Round {
  request: ClientRequest;
  /** The client's answers, by key; data of a client. */
  answers: unknown;
  /** Resolves once the request is to be answered, though the call goes on. */
  due: Promise<void>;
  /** Seals the number of the round that comes next. */
  seal(round: number): Promise<string>;
}

/** Undefined if the call goes on. */
export type Answer = CallToolResult | InputRequiredResult | undefined;

/** Questions of a round; others wait for the next. */
export const MOST_QUESTIONS = 20;
/** Time from a first question, in which others join its round. */
const GATHER_MS = 50;

/**
 * Answers a client of the later era in rounds: a request is answered with the
 * questions of its call, and the next request brings the answers. The call goes on
 * meanwhile.
 */
export class Rounds {
  /** The last round that a client was asked in; the first is 1. */
  #round = 0;
  /** Its questions, by key. */
  #asked: string[] = [];
  /** The last round with its answers. */
  #answered = 0;
  /** The answer to the requests of the latest round. */
  #latest: Promise<Answer> | undefined;

  constructor(private call: LastingCall) {}

  /** The answer to a request that brings no answers. */
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
      const answers = fields(round.answers);
      // A question of the round that has no answer is answered by that.
      for (const key of this.#asked) {
        this.call.questions.answer(key, answers[key]);
      }
      this.#latest = this.#next(round);
    }
    if (asked === this.#answered && this.#latest) return this.#latest;
    throw invalidParams(
      `requestState is of round ${asked} of this call, which has been answered: the call waits for the answers of round ${this.#round}`,
    );
  }

  async #next({ request, due, seal }: Round): Promise<Answer> {
    const { call } = this;
    const { questions } = call;
    using _ = call.attend(request);
    while (!call.isOver && questions.size === 0) {
      const late = await Promise.race([
        Promise.race([call.over, questions.asked()]).then(() => false),
        due.then(() => true),
      ]);
      if (late && !call.isOver) return undefined;
      if (!call.isOver) await isOverWithin(call.over, GATHER_MS);
    }
    if (call.isOver) return await call.result;
    const round = ++this.#round;
    const forms = questions.open
      .map(({ key, form }) => [key, inputRequired.elicit(form)] as const);
    this.#asked = forms.map(([key]) => key);
    return inputRequired({
      inputRequests: Object.fromEntries(forms),
      requestState: await seal(round),
    });
  }
}
