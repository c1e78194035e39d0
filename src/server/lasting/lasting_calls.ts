import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { fields } from "../../protocol/fields.ts";
import { OUTPUT_FROM, OUTPUT_NEXT } from "../../protocol/long_runs.ts";
import { head } from "../../results/cut.ts";
import type { Item, Share } from "../../shares.ts";
import { show } from "../contracts/arguments.ts";
import { invalidParams } from "../error_codes.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import { toOwnId } from "../own_id.ts";
import type { Owner } from "../sessions/kept_session.ts";
import type { Shares } from "../shares.ts";
import { answerByAsking } from "./ask_by_request.ts";
import { Due } from "./due.ts";
import { type AnswerCall, LastingCall } from "./lasting_call.ts";
import { type Answer, MOST_QUESTIONS, type Round, Rounds } from "./rounds.ts";
import { type Running, toRunningAnswer } from "./running.ts";

/** Calls of an owner that may wait for answers between its requests. */
const MOST_PARKED = 8;
/** Time for which a sealed state is good, beyond the longest wait for an answer. */
const SEALED_SECONDS = 3600;

/** The state that a client keeps between the rounds of a call, sealed. */
interface RoundState {
  id: string;
  round: number;
}

/** The answer to a request, which may be that its call goes on. */
export type Told = CallToolResult | InputRequiredResult;

/** A call that its client follows as a task of MCP. */
export interface NewTask {
  /** Milliseconds until it becomes one; 0 if its client has asked for one. */
  afterMs: number;
  /** Milliseconds for which its client wants the result to be kept. */
  ttlMs?: number | undefined;
  /** Told that it has become one; writes so. */
  toResult(call: LastingCall): Told;
}

/** A call that begins. */
export interface NewCall {
  answer: AnswerCall;
  /** Writes that it goes on; absent if its request waits for its end. */
  toRunning?: ((running: Running) => CallToolResult) | undefined;
  /** Set if the client follows it as a task of MCP. */
  task?: NewTask | undefined;
  /** Told that it goes on after its request. */
  onDetached(over: Promise<void>): void;
}

/** A request that waits for a call that there is. */
export interface Watched {
  run: string;
  waitMs: number;
  cancels: boolean;
}

/** The calls of an owner. */
export interface OwnCalls {
  /** Checks the seal of a state, for the SDK. */
  verify(state: string, context: ServerContext): Promise<RoundState>;
  /**
   * Answers a request by a call that begins, or by one that goes on.
   *
   * @param capabilities Of the client, if the request does not say.
   */
  answer(
    context: ServerContext,
    capabilities: unknown,
    call: NewCall,
  ): Promise<Told>;
  /** Answers a request by a call that was detached. */
  watch(
    context: ServerContext,
    capabilities: unknown,
    watched: Watched,
  ): Promise<Told>;
  /**
   * When a request is to be answered that waits for a call: once its client leaves it,
   * or another caller needs its place, too, if the call goes on.
   *
   * @param ms Undefined if it waits for the end of the call.
   */
  dueOf(context: ServerContext, call: LastingCall, ms: number | undefined): Due;
  /** A call that was detached, with its means to write that it goes on. */
  find(id: string): LastingCall | undefined;
  /** All of the client that were detached, the oldest first; none if nothing tells it from others. */
  list(): LastingCall[];
}

interface Kept extends Pick<Owner, "realm"> {
  call: LastingCall;
  rounds: Rounds;
  toRunning(running: Running): CallToolResult;
  /** Its result, where it counts. */
  shares: [Share, Item][];
  /** Ends the time for which its result is kept. */
  timer?: ReturnType<typeof setTimeout>;
}

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
  /** By id, the oldest first. */
  #kept = new Map<string, Kept>();
  /** Told how a request of HTTP that waits for a call is answered at once. */
  onWait: (request: Request | undefined, answer: () => void) => void = () => {};
  #key = crypto.getRandomValues(new Uint8Array(32));

  constructor(
    private options: LastingOptions,
    private shares: Pick<Shares, "keptRuns" | "keptRunBytes">,
  ) {}

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
      const kept = this.#find(owner, id);
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
      if (isDone && !call.isDetached) this.#drop(id);
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
        if (!isOf2025) call.onAsk = () => this.#park(kept);
        call.onDetached = () => given.onDetached(call.over);
        if (task?.afterMs === 0) return this.#detach(kept, task);
        const answer = await this.#attend(
          ...[kept, context, capabilities] as const,
          toRound(context, call.id, due),
        );
        if (answer) {
          if (call.isOver) this.#drop(call.id);
          return answer;
        }
        return this.#detach(kept, task);
      },
      watch: async (context, capabilities, { run, waitMs, cancels }) => {
        const { mcpReq } = context;
        const state = mcpReq.requestState<RoundState>();
        if (state) return await resume(context, state, waitMs);
        const kept = this.#find(owner, run);
        if (!kept?.call.isDetached) return refuseUnknown(run);
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
        const found = this.#find(owner, id)?.call;
        return found?.isDetached ? found : undefined;
      },
      list: () =>
        [...this.#kept.values()]
          .filter((kept) => realm !== undefined && kept.realm === realm)
          .map(({ call }) => call).filter(({ isDetached }) => isDetached),
    };
  }

  #usualWaitMs({ toRunning }: NewCall): number | undefined {
    return toRunning && this.options.detachAfterMs;
  }

  #find(owner: string, id: string): Kept | undefined {
    const kept = this.#kept.get(id);
    return kept?.call.owner === owner ? kept : undefined;
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
    this.#keep(kept);
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

  /** Keeps a call that asks its client's user, for the client's next request. */
  #park(kept: Kept): void {
    const { id, owner, isDetached } = kept.call;
    if (isDetached || this.#kept.has(id)) return;
    const own = [...this.#kept.values()]
      .filter(({ call }) => call.owner === owner && !call.isDetached);
    if (own.length >= MOST_PARKED) {
      const over = own.find(({ call }) => call.isOver);
      if (!over) {
        throw new HostCallError(
          "RuntimeError",
          `Cannot ask for approval as ${own.length} calls of this client wait for an answer of its user already. Wait for some of them first.`,
        );
      }
      this.#drop(over.call.id);
    }
    this.#keep(kept);
  }

  #keep(kept: Kept): void {
    const { id, over } = kept.call;
    if (this.#kept.has(id)) return;
    this.#kept.set(id, kept);
    void over.then(() => this.#keepResult(kept));
  }

  /** The result stays for a time, unless newer ones need its room. */
  async #keepResult(kept: Kept): Promise<void> {
    const { id, owner, result } = kept.call;
    const told = await result.catch(() => ({}));
    if (!this.#kept.has(id)) return;
    const bytes = new TextEncoder().encode(JSON.stringify(told)).length;
    const { keptRuns, keptRunBytes } = this.shares;
    for (
      const [share, amount] of [[keptRuns, 1], [keptRunBytes, bytes]] as const
    ) {
      const item: Item = {
        ...{ caller: owner, amount },
        rest: () => "idle",
        giveWay: () => this.#drop(id),
      };
      if (!share.take(item)) return this.#drop(id);
      kept.shares.push([share, item]);
    }
    kept.timer = setTimeout(() => this.#drop(id), kept.call.keptMs);
    Deno.unrefTimer(kept.timer);
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.delete(id);
    clearTimeout(kept.timer);
    for (const [share, item] of kept.shares) share.drop(item);
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

/** Why there is no such call. */
export function describeUnknown(kind: "run" | "task", id: string): string {
  return `Cannot find the ${kind} ${
    JSON.stringify(head(id, 100))
  }: it is not a ${kind} of this client, its result was kept for its time (--keep-results) or gave way to newer ones, or the server has begun anew. Run the code again.`;
}

function refuseUnknown(run: string): CallToolResult {
  const text = describeUnknown("run", run);
  return { content: [{ type: "text", text }], isError: true };
}

/** Whether a client can show a form to its user, and its era. */
function readClient(
  { envelope }: ServerContext["mcpReq"],
  capabilities: unknown,
): { canAsk: boolean; isOf2025: boolean } {
  const { [CLIENT_CAPABILITIES_META_KEY]: said = capabilities } = fields(
    envelope,
  );
  return { canAsk: canShowForms(said), isOf2025: envelope === undefined };
}

/** Whether capabilities of a client are those to show a form to its user. */
export function canShowForms(capabilities: unknown): boolean {
  const { elicitation } = fields(capabilities);
  if (typeof elicitation !== "object" || elicitation === null) return false;
  // Clients of before there were kinds of questions name none.
  return "form" in elicitation || Object.keys(elicitation).length === 0;
}
