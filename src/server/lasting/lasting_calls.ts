import {
  createRequestStateCodec,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { fields } from "../../protocol/fields.ts";
import { OUTPUT_FROM, OUTPUT_NEXT } from "../../protocol/long_runs.ts";
import { canShowForms } from "../client_capabilities.ts";
import { show } from "../contracts/arguments.ts";
import { toErrorAnswer } from "../contracts/contract.ts";
import { invalidParams } from "../error_codes.ts";
import { toOwnId } from "../own_id.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Shares } from "../shares.ts";
import { answerByAsking } from "./ask_by_request.ts";
import { Due } from "./due.ts";
import { describeUnknown, type Kept, KeptCalls } from "./kept_calls.ts";
import { LastingCall } from "./lasting_call.ts";
import type {
  NewCall,
  NewTask,
  OwnCalls,
  RoundState,
  Told,
} from "./own_calls.ts";
import { type Answer, MOST_QUESTIONS, type Round, Rounds } from "./rounds.ts";
import { type Running, toRunningAnswer } from "./running.ts";

/** Time for which a sealed state is good, beyond the longest wait for an answer. */
const SEALED_SECONDS = 3600;

export interface LastingOptions {
  /** Time that a call may wait for answers of its client's user. */
  callWaitMs: number;
  /** Time for which results are kept. */
  keptMs: number;
  /** Time after which calls are detached that name none; undefined if they are not. */
  detachAfterMs?: number | undefined;
  /** Characters of what a run prints, in an answer. */
  maxOutput: number;
  /** Characters of what a run prints that come while it goes on; undefined if all do. */
  mostLive?: number | undefined;
  /** Whether calls may outlive their requests. */
  longRuns: boolean;
  /** The name of this server among several. */
  server?: string | undefined;
}

/** The calls that outlive their requests, and their results until they are fetched, or too old. */
export class LastingCalls {
  #kept: KeptCalls;
  /** Told how a request of HTTP that waits for a call is answered at once. */
  onWait: (request: Request | undefined, answer: () => void) => void = () => {};
  #key = crypto.getRandomValues(new Uint8Array(32));

  constructor(
    private options: LastingOptions,
    shares: Pick<Shares, "keptRuns" | "keptRunBytes">,
  ) {
    this.#kept = new KeptCalls(shares);
  }

  /** Calls that go on, or whose results wait. */
  get size(): number {
    return this.#kept.size;
  }

  /** The calls of an owner; to others, they do not exist. */
  open({ name: owner, realm }: Owner): OwnCalls {
    const seal = createRequestStateCodec<RoundState>({
      key: this.#key,
      ttlSeconds: this.options.callWaitMs / 1000 + SEALED_SECONDS,
      bind: () => owner,
    });
    const toRound = (context: ServerContext, id: string, due: Due): Round => ({
      request: context.mcpReq,
      answers: context.mcpReq.inputResponses,
      due: due.promise,
      seal: (round) => seal.mint({ id, round }, context),
    });
    const dueOf: OwnCalls["dueOf"] = ({ mcpReq, http }, call, ms) => {
      const due = new Due(ms);
      due.endWith(mcpReq, call);
      if (call.isDetached) this.onWait(http?.req, () => due.end());
      return due;
    };
    const resume = async (
      context: ServerContext,
      { id, round }: RoundState,
      waitMs: number | undefined,
      given?: NewCall,
    ): Promise<Told> => {
      const kept = this.#kept.find(owner, id);
      if (!kept) {
        throw invalidParams(
          "requestState is of a call that has ended, or is not this client's: call the tool again, without requestState",
        );
      }
      const { call } = kept;
      if (given) call.onDetached = () => given.onDetached(call.over);
      const ownMs = call.due.namedMs ?? given?.task?.afterMs ?? waitMs;
      using due = dueOf(context, call, given ? ownMs : waitMs);
      const answer = await kept.rounds
        .resume(round, toRound(context, id, due));
      // The result has been fetched.
      const isDone = answer && "content" in answer;
      if (isDone && !call.isDetached) this.#kept.drop(id);
      return answer ?? this.#detach(kept, given?.task);
    };
    return {
      verify: (state, context) => seal.verify(state, context),
      answer: async (context, capabilities, given) => {
        const { mcpReq } = context;
        const { toRunning, task } = given;
        const state = mcpReq.requestState<RoundState>();
        if (state) {
          return await resume(context, state, this.#usualWaitMs(given), given);
        }
        const { canAsk, isOf2025 } = readClient(mcpReq, capabilities);
        const lasts = canAsk || task || this.options.longRuns && toRunning;
        if (!lasts) return await given.answer(mcpReq, undefined);
        using due = new Due(task?.afterMs ?? this.#usualWaitMs(given));
        const call = new LastingCall(
          ...[toOwnId(this.options.server), owner, mcpReq] as const,
          given.answer,
          {
            ...{ atATime: canAsk ? isOf2025 ? 1 : MOST_QUESTIONS : 0, due },
            mostLive: this.options.mostLive,
            keptMs: Math.min(task?.ttlMs ?? Infinity, this.options.keptMs),
          },
        );
        const kept: Kept = {
          ...{ call, realm, rounds: new Rounds(call), shares: [] },
          toRunning: toRunning ?? toUsualAnswer,
        };
        if (!isOf2025) call.onAsk = () => this.#kept.park(kept);
        call.onDetached = () => given.onDetached(call.over);
        if (task?.afterMs === 0) return this.#detach(kept, task);
        const answer = await this.#attend(
          ...[kept, context, capabilities] as const,
          toRound(context, call.id, due),
        );
        if (answer) {
          if (call.isOver) this.#kept.drop(call.id);
          return answer;
        }
        return this.#detach(kept, task);
      },
      watch: async (context, capabilities, { run, waitMs, cancels }) => {
        const { mcpReq } = context;
        const state = mcpReq.requestState<RoundState>();
        if (state) return await resume(context, state, waitMs);
        const kept = this.#kept.find(owner, run);
        if (!kept?.call.isDetached) {
          return toErrorAnswer(describeUnknown("run", run));
        }
        const from = readPlace(mcpReq._meta);
        if (cancels) kept.call.cancel();
        using due = dueOf(context, kept.call, waitMs);
        const answer = await this.#attend(
          ...[kept, context, capabilities] as const,
          toRound(context, run, due),
        );
        return answer ?? this.#toRunning(kept, from);
      },
      dueOf,
      find: (id) => {
        const found = this.#kept.find(owner, id)?.call;
        return found?.isDetached ? found : undefined;
      },
      list: () => this.#kept.list(realm).filter(({ isDetached }) => isDetached),
    };
  }

  #usualWaitMs({ toRunning }: NewCall): number | undefined {
    return toRunning && this.options.detachAfterMs;
  }

  /** Waits for a call as long as a request does; its client's user is asked meanwhile. */
  async #attend(
    { call, rounds }: Kept,
    { mcpReq }: ServerContext,
    capabilities: unknown,
    round: Round,
  ): Promise<Answer> {
    const { canAsk, isOf2025 } = readClient(mcpReq, capabilities);
    if (canAsk && !isOf2025) return await rounds.begin(round);
    if (canAsk) return await answerByAsking(call, mcpReq, round.due);
    using _ = call.attend(mcpReq);
    await Promise.race([call.over, round.due]);
    return call.isOver ? await call.result : undefined;
  }

  /** The call goes on without its request; gives the answer to that. */
  #detach(kept: Kept, task: NewTask | undefined): Told {
    const { call } = kept;
    call.detach();
    this.#kept.keep(kept);
    const isTask = task && (call.due.namedMs === undefined || !task.afterMs);
    return isTask ? task.toResult(call) : this.#toRunning(kept);
  }

  /**
   * @param from The place of the first character that a program wants; the place where
   * the last answer ended if it names none.
   */
  #toRunning({ call, toRunning }: Kept, from?: number): Told {
    const { printed, id: run } = call;
    const { maxOutput } = this.options;
    if (from === undefined) {
      const { next: _, ...part } = printed.readOn(maxOutput);
      return toRunning({ run, ...part });
    }
    const { next, ...part } = printed.read(from, maxOutput);
    const told = toRunning({ run, ...part });
    return { ...told, _meta: { ...told._meta, [OUTPUT_NEXT]: next } };
  }
}

/** @throws {ProtocolError} If the metadata of a request names no place. */
function readPlace(meta: unknown): number | undefined {
  const { [OUTPUT_FROM]: from } = fields(meta);
  if (from === undefined) return undefined;
  if (Number.isSafeInteger(from) && Number(from) >= 0) return Number(from);
  throw invalidParams(
    `_meta["${OUTPUT_FROM}"] is ${
      show(from)
    }, and must be a whole number from 0: the place of a character`,
  );
}

const toUsualAnswer = (running: Running) => toRunningAnswer(running, "xml");

/** Whether a client can show a form to its user, and its era. */
function readClient(
  { envelope }: ServerContext["mcpReq"],
  capabilities: unknown,
): { canAsk: boolean; isOf2025: boolean } {
  return {
    canAsk: canShowForms(envelope, capabilities),
    isOf2025: envelope === undefined,
  };
}
