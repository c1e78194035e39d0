import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
} from "../../deps/mcp_client_core.ts";
import type { BridgeLimits } from "../protocol/bridge_messages.ts";
import type { HttpEntry } from "../protocol/downstream.ts";
import { fields } from "../protocol/fields.ts";
import { boundStream } from "./bound_stream.ts";
import { toExact, toExactEvents } from "./exact_json.ts";
import { TooLarge } from "./failures.ts";
import {
  Flood,
  FLOODED,
  type Link,
  longestMessage,
  MOST_UNREAD,
  UNREAD,
} from "./link.ts";
import { isId, Replies } from "./replies.ts";
import { Semaphore } from "../semaphore.ts";

/** A server may ask for less, and for nothing at all. */
const LEAST_RETRY_MS = 1000;
const MOST_DOUBLINGS = 5;
/** Answers to requests of the server at a time: each is a connection. */
const MOST_ANSWERS = 8;

/** Opens the way to a server of streamable HTTP, of both eras. */
export function openHttp(
  { url, headers }: HttpEntry,
  { maxResult }: BridgeLimits,
): Link {
  const ended = Promise.withResolvers<string>();
  const flood = new Flood();
  const replies = new Replies(maxResult);
  const maxBytes = longestMessage(maxResult);
  const turns = new Semaphore(MOST_ANSWERS);
  let closing: Promise<void> | undefined;
  /** Since the last answer. */
  let retries = 0;
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: request,
    reconnectionScheduler(reconnect, delayMs) {
      const least = LEAST_RETRY_MS * 2 ** Math.min(retries++, MOST_DOUBLINGS);
      const timer = setTimeout(reconnect, Math.max(delayMs, least));
      return () => clearTimeout(timer);
    },
  });
  // The client takes its messages behind this.
  transport.onmessage = note;
  return {
    transport,
    isOlderFirst: false,
    ended: ended.promise,
    lastWords: () => "",
    async causeOf(reason) {
      const why = await Promise.race([ended.promise, undefined]);
      return `${new URL(url).host}: ${why ?? reason}`;
    },
    close: () => closing ??= close("it was closed"),
  };

  function note(message: JSONRPCMessage): void {
    // It is refused whatever it asks, and may have to wait for that.
    if ("method" in message && "id" in message) delete message.params;
    const isAnswer = !("method" in message) &&
      replies.readText(JSON.stringify(message)).hasAnswer;
    if (!isAnswer) return count(0, 1);
    flood.calm();
    retries = 0;
  }

  async function request(
    input: string | URL,
    init: RequestInit = {},
  ): Promise<Response> {
    const message = typeof init.body === "string" ? JSON.parse(init.body) : {};
    replies.expect(message);
    const { id, method } = fields(message);
    using _turn = isId(id) && method === undefined
      ? await turnOf(init.signal)
      : undefined;
    const response = await fetch(input, init);
    if (!response.body) return response;
    const { ok, status, statusText, headers } = response;
    const isAsked = init.method === "GET" || isId(id) && method !== undefined;
    if (ok && !isAsked) {
      await response.body.cancel();
      return new Response(null, { status, statusText, headers });
    }
    // What is told beside an error is read whole.
    const isStream = ok &&
      headers.get("content-type")?.startsWith("text/event-stream") === true;
    const body = boundStream(response.body, {
      maxBytes,
      isStream,
      rewrite: isStream ? toExactEvents : toExact,
      onBytes: count,
      onEnd(error) {
        if (error === undefined || !isId(id) || !replies.isOpen(id)) return;
        const heard = error instanceof TooLarge
          ? replies.refuse(id, error.size)
          : replies.giveUp(id, "the connection broke before its answer");
        for (const one of heard.messages) transport.onmessage?.(one);
      },
    });
    return new Response(body, { status, statusText, headers });
  }

  /** A server can ask without an end, and take no answer. */
  async function turnOf(signal: RequestInit["signal"]): Promise<Disposable> {
    if (turns.waiting >= MOST_UNREAD) closing ??= close(UNREAD);
    return await turns.take(signal);
  }

  function count(bytes: number, messages = 0): void {
    if (flood.take(bytes, messages)) closing ??= close(FLOODED);
  }

  async function close(why: string): Promise<void> {
    if (why !== FLOODED && why !== UNREAD) {
      await transport.terminateSession().catch(() => {});
    }
    ended.resolve(why);
    await transport.close();
  }
}
