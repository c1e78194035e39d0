import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from "../../../deps/mcp_server.ts";
import type { Due } from "./due.ts";
import type { AnswerCall, LastingCall } from "./lasting_call.ts";
import type { Running } from "./running.ts";

/** The state that a client keeps between the rounds of a call, sealed. */
export interface RoundState {
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
