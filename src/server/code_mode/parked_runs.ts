import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  type ServerContext,
} from "../../../deps/mcp_server.ts";
import { fields } from "../../protocol/fields.ts";
import { invalidParams } from "../error_codes.ts";
import { HostCallError } from "../host_calls/host_call.ts";
import type { Owner } from "../sessions/kept_session.ts";
import { type AnswerCall, ParkedRun, type Round } from "./parked_run.ts";
import type { Asking } from "./approvals.ts";

/** Calls of an owner that may wait for answers at a time. */
const MOST_OF_OWNER = 8;
/** Time for which a result is kept for a client that has not come back. */
const KEPT_MS = 300_000;
/** Time for which a sealed state is good, beyond the longest wait for an answer. */
const SEALED_SECONDS = 3600;

/** The state that a client keeps between the rounds of a call, sealed. */
interface RoundState {
  id: string;
  round: number;
}

interface Parked {
  owner: string;
  run: ParkedRun;
  /** Ends the time for which its result is kept. */
  timer?: ReturnType<typeof setTimeout>;
}

/** Calls of an owner's client, each of which may take several requests. */
export interface CallsInRounds {
  /** Checks the seal of a state, for the SDK. */
  verify(state: string, context: ServerContext): Promise<RoundState>;
  /**
   * Answers a request: by a call that begins, or by one that goes on.
   *
   * @param capabilities Of the client, if the request does not say.
   */
  answer(
    context: ServerContext,
    capabilities: unknown,
    call: AnswerCall,
  ): Promise<CallToolResult | InputRequiredResult>;
}

/** The calls that wait for answers of their clients' users. */
export class ParkedRuns {
  #parked = new Map<string, Parked>();
  #key = crypto.getRandomValues(new Uint8Array(32));

  constructor(
    private options: { callWaitMs: number; keptMs?: number },
  ) {}

  /** Calls that wait, or whose results wait. */
  get size(): number {
    return this.#parked.size;
  }

  /** The calls of an owner; to others, they do not exist. */
  open({ name: owner }: Owner): CallsInRounds {
    const seal = createRequestStateCodec<RoundState>({
      key: this.#key,
      ttlSeconds: this.options.callWaitMs / 1000 + SEALED_SECONDS,
      bind: () => owner,
    });
    return {
      verify: (state, context) => seal.verify(state, context),
      answer: async (context, capabilities, call) => {
        const { mcpReq } = context;
        const state = mcpReq.requestState<RoundState>();
        const toRound = (id: string): Round => ({
          request: mcpReq,
          answers: mcpReq.inputResponses,
          seal: (round) => seal.mint({ id, round }, context),
        });
        if (state !== undefined) {
          return await this.#resume(owner, state, toRound(state.id));
        }
        const { [CLIENT_CAPABILITIES_META_KEY]: said = capabilities } = fields(
          mcpReq.envelope,
        );
        if (!canShowForms(said)) return await call(mcpReq, undefined);
        const isOf2025 = mcpReq.envelope === undefined;
        if (isOf2025) return await call(mcpReq, askByRequest(mcpReq));
        return await this.#begin(owner, toRound, call);
      },
    };
  }

  #begin(
    owner: string,
    toRound: (id: string) => Round,
    call: AnswerCall,
  ): ReturnType<ParkedRun["begin"]> {
    const id = crypto.randomUUID();
    const round = toRound(id);
    const run: ParkedRun = new ParkedRun(round, call, () => {
      if (this.#parked.has(id)) return;
      this.#makeRoom(owner);
      this.#parked.set(id, { owner, run });
      void run.over.then(() => this.#dropLater(id));
    });
    return run.begin(round);
  }

  async #resume(
    owner: string,
    { id, round }: RoundState,
    next: Round,
  ): ReturnType<ParkedRun["resume"]> {
    const parked = this.#parked.get(id);
    if (parked?.owner !== owner) {
      throw invalidParams(
        "requestState is of a call that has ended, or is not this client's: call the tool again, without requestState",
      );
    }
    const { run } = parked;
    const answer = await run.resume(round, next);
    // The result has been fetched.
    if ("content" in answer) this.#drop(id);
    return answer;
  }

  #makeRoom(owner: string): void {
    const own = [...this.#parked].filter(([, one]) => one.owner === owner);
    if (own.length < MOST_OF_OWNER) return;
    const over = own.find(([, { run }]) => run.isOver);
    if (over) return this.#drop(over[0]);
    throw new HostCallError(
      "RuntimeError",
      `Cannot ask for approval as ${own.length} calls of this client wait for an answer of its user already. Wait for some of them first.`,
    );
  }

  #dropLater(id: string): void {
    const parked = this.#parked.get(id);
    if (!parked) return;
    const { keptMs = KEPT_MS } = this.options;
    parked.timer = setTimeout(() => this.#drop(id), keptMs);
    Deno.unrefTimer(parked.timer);
  }

  #drop(id: string): void {
    clearTimeout(this.#parked.get(id)?.timer);
    this.#parked.delete(id);
  }
}

/** The longest time of a timer: the question's signal ends it before. */
const LONGEST_MS = 2 ** 31 - 1;

/** Whether a client, by its capabilities, can show a form to its user. */
function canShowForms(capabilities: unknown): boolean {
  const { elicitation } = fields(capabilities);
  if (typeof elicitation !== "object" || elicitation === null) return false;
  // Clients of before there were kinds of questions name none.
  return "form" in elicitation || Object.keys(elicitation).length === 0;
}

/**
 * Asks a client of 2025, by a request of the server's own, one at a time: its
 * answer comes while the call goes on.
 */
function askByRequest(mcpReq: ServerContext["mcpReq"]): Asking {
  return {
    atATime: 1,
    async ask(form, signal) {
      const request = { method: "elicitation/create", params: form } as const;
      const options = { signal, timeout: LONGEST_MS };
      try {
        return await mcpReq.send(request, options);
      } catch {
        signal.throwIfAborted();
        // The client has failed, or is gone: that is not a yes.
        return undefined;
      }
    },
  };
}
