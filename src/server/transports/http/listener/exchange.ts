import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { setImmediate } from "node:timers";
import { refuseHttp } from "../refusals.ts";

/** The way of an answer to its client. */
export interface Exchange {
  /** Resolves once the answer has been sent, or its client is gone. */
  ended: Promise<void>;
  /** The client's bytes; a web stream of them would slow each call. */
  body?: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

const exchanges = new WeakMap<Request, Exchange>();

export function setExchange(request: Request, exchange: Exchange): void {
  exchanges.set(request, exchange);
}

/** Has ended for a request that did not come over a connection. */
export function exchangeOf(request: Request): Exchange {
  return exchanges.get(request) ?? { ended: Promise.resolve() };
}

/** A name or address and a port; user information would hide another name. */
const HOST = /^([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export interface ExchangeOptions {
  scheme: "http" | "https";
  handler: (request: Request) => Promise<Response>;
  /** Time for the client to take the next piece of an answer. */
  takeTimeoutMs: number;
}

/** Answers a request of Node by a handler of web-standard requests; never throws. */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { scheme, handler, takeTimeoutMs }: ExchangeOptions,
): Promise<void> {
  const gone = new AbortController();
  const ended = new Promise<void>((resolve) =>
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) gone.abort();
      resolve();
    })
  );
  // The reader of a broken body gets the error.
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  try {
    const request = maybeRequest(incoming, scheme, gone.signal);
    const body = incoming.iterator({ destroyOnReturn: false });
    if (request) setExchange(request, { ended, body });
    const response = request
      ? await handler(request)
      : refuseHttp(400, "A request has a usual method, a path, and one Host.");
    // The rest of a body would be taken for the next request.
    if (!incoming.complete) outgoing.setHeader("connection", "close");
    await send(response, outgoing, { gone: gone.signal, takeTimeoutMs });
    if (!incoming.complete) incoming.destroy();
  } catch {
    // The client is gone.
    outgoing.destroy();
  }
}

/** Undefined if other programs could read the request in another way. */
function maybeRequest(
  incoming: IncomingMessage,
  scheme: string,
  signal: AbortSignal,
): Request | undefined {
  const { method = "GET", url = "", rawHeaders } = incoming;
  const headers: [name: string, value: string][] = [];
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const { [at]: name = "", [at + 1]: value = "" } = rawHeaders;
    headers.push([name, value]);
    if (name.toLowerCase() === "host") hosts.push(value);
  }
  const [host = ""] = hosts;
  const whole = `${scheme}://${host}${url}`;
  const isPlain = hosts.length === 1 && HOST.test(host) &&
    url.startsWith("/") && URL.canParse(whole) && METHODS.includes(method);
  if (!isPlain) return undefined;
  return new Request(whole, { method, headers, signal });
}

/** Sends a response as fast as its client reads it. */
async function send(
  response: Response,
  outgoing: ServerResponse,
  { gone, takeTimeoutMs }: { gone: AbortSignal; takeTimeoutMs: number },
): Promise<void> {
  const { status, headers, body } = response;
  const head = Object.fromEntries(headers);
  const write = async (piece: Uint8Array) => {
    if (outgoing.write(piece) || gone.aborted) return;
    const late = setTimeout(() => outgoing.destroy(), takeTimeoutMs);
    await once(outgoing, "drain", { signal: gone }).catch(() => {});
    clearTimeout(late);
  };
  if (head["content-type"] === "application/json") {
    // An answer with its length is cheaper than one in chunks, for both sides.
    const whole = await response.bytes();
    outgoing.writeHead(status, { ...head, "content-length": whole.length });
    await write(whole);
    return void outgoing.end();
  }
  outgoing.writeHead(status, head);
  if (!body) return void outgoing.end();
  // The first part of a body goes out with the head if it is there at once.
  outgoing.cork();
  setImmediate(() => outgoing.uncork());
  // A client of a stream would wait for its first message, to know that it is open.
  if (headers.get("content-type") === "text/event-stream") {
    outgoing.flushHeaders();
  }
  const reader = body.getReader();
  gone.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  if (gone.aborted) return await reader.cancel();
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    await write(value);
  }
  outgoing.end();
}
