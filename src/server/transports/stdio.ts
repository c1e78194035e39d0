import { INTERNAL_ERROR, INVALID_REQUEST } from "../error_codes.ts";
import {
  type JSONRPCMessage,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from "../../../deps/mcp_server.ts";
import { isOverWithin } from "../../deadline.ts";
import { CLIENT_LINE } from "../../protocol/bounds.ts";
import {
  type ClientMessage,
  maybeCancelled,
  readClientMessage,
  type Refusal,
  refuse,
  TWICE,
} from "./client_messages.ts";
import type { ClientSide } from "../broker_line.ts";

/** Times to wait at a client's end: for quick answers, then for calls. */
const DRAIN_TIMES = { answersMs: 10_000, callsMs: 500 };

/** MCP over the line to the broker; a line that cannot be read is answered. */
export class StdioTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** Requests that are not answered yet, by id. */
  #open = new Map<
    string | number,
    { method: string } & PromiseWithResolvers<void>
  >();
  /** Messages on their way to the client. */
  #leaving = new Set<Promise<void>>();
  #isFaulty = false;

  /** @param onEnd Called once the client's last message is answered or late. */
  constructor(
    private broker: ClientSide,
    private onEnd: () => void,
    private times = DRAIN_TIMES,
  ) {}

  start(): Promise<void> {
    this.broker.onFault = () => this.#refuseOpen();
    void this.#read();
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    // Each request is answered once, and the fault is the answer.
    if (this.#isFaulty) return;
    // A client may use an id again once it has the answer.
    this.#close(maybeAnswered(message));
    await this.#write(message);
  }

  close(): Promise<void> {
    this.onclose?.();
    return Promise.resolve();
  }

  async #read(): Promise<void> {
    while (true) {
      const line = await this.broker.nextFromClient();
      if (line === null) return await this.#drain();
      if ("tooLong" in line) {
        const why =
          `Cannot read a message of ${line.tooLong} bytes, as a message may have ${CLIENT_LINE}: send less`;
        this.#take(refuse(null, INVALID_REQUEST, why));
        continue;
      }
      if (line.every((byte) => byte <= 32)) continue;
      this.#take(readClientMessage(line));
    }
  }

  #take({ message, refusal }: ClientMessage): void {
    // The next message is read even if the client reads no answer.
    if (refusal) return void this.#write(refusal);
    if ("method" in message) {
      if (!("id" in message)) {
        // The SDK answers no request that was cancelled.
        this.#close(maybeCancelled(message));
      } else if (!this.#open.has(message.id)) {
        const { id, method } = message;
        this.#open.set(id, { method, ...Promise.withResolvers<void>() });
      } else return this.#take(refuse(message.id, INVALID_REQUEST, TWICE));
    }
    this.onmessage?.(message);
  }

  #close(id: unknown): void {
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#open.get(id)?.resolve();
    this.#open.delete(id);
  }

  async #drain(): Promise<void> {
    const open = [...this.#open.values()];
    const quick = open.filter(({ method }) => method !== "tools/call");
    const { answersMs, callsMs } = this.times;
    const answered = async (requests: { promise: Promise<void> }[]) => {
      await Promise.all(requests.map(({ promise }) => promise));
    };
    await isOverWithin(answered(quick), answersMs);
    const sent = answered(open).then(() => Promise.all(this.#leaving));
    await isOverWithin(sent, callsMs);
    this.onEnd();
  }

  async #refuseOpen(): Promise<void> {
    const ids = [...this.#open.keys()];
    this.#isFaulty = true;
    await Promise.all(
      ids.map((id) => this.#write(refuse(id, INTERNAL_ERROR, FAULT).refusal)),
    );
  }

  async #write(message: JSONRPCMessage | Refusal): Promise<void> {
    const leaving = this.broker.sendToClient(toAnswerLine(message));
    this.#leaving.add(leaving);
    await leaving.finally(() => this.#leaving.delete(leaving));
  }
}

const FAULT =
  "The server has a fault of its own and ends: start it again. Its log has the cause";

/** The id that a message answers; a subscription is acknowledged only. */
function maybeAnswered(message: JSONRPCMessage): unknown {
  if (!("method" in message)) return message.id;
  return message.method === "notifications/subscriptions/acknowledged"
    ? message.params?._meta?.[SUBSCRIPTION_ID_META_KEY]
    : undefined;
}

/**
 * Writes a message for the client as a line that the broker takes; an answer, or
 * an error that repeats its request, becomes another error if it is too long.
 */
function toAnswerLine(message: JSONRPCMessage | Refusal): string {
  const line = JSON.stringify(message);
  // No character has more than three bytes.
  if (line.length * 3 <= CLIENT_LINE) return line;
  const { length } = new TextEncoder().encode(line);
  if (length <= CLIENT_LINE) return line;
  const id = "id" in message ? message.id ?? null : null;
  const error =
    `Cannot send an answer of ${length} bytes as it may have ${CLIENT_LINE}: ask for less`;
  return JSON.stringify(refuse(id, INTERNAL_ERROR, error).refusal);
}
