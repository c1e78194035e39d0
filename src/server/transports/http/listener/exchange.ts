import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { setImmediate } from "node:timers";
import { isOverWithin } from "../../../../deadline.ts";
import {
  type Item,
  type Rest,
  type Share,
  UNKNOWN,
} from "../../../../shares.ts";
import { MIB } from "../../../../units.ts";
import { refusalOf, refuseHttp } from "../refusals.ts";

/** Time after which a client that takes nothing of an answer does not use it. */
const STALLED_MS = 5000;
/** Bytes of an answer that are not counted: small answers find room beside large ones. */
export const FREE_BYTES = 65_536;
/** A caller's next large read waits so long, at most, for the last one to be taken. */
const TAKEN_MS = 1000;
/** And then for each MiB, which took the server half of that. */
const PAUSE_MS = 10;
/** Bytes that a client takes at a time. */
const PIECE_BYTES = 65_536;

/** The way of an answer to the client. */
interface Way {
  /** Counts the bytes that wait. */
  answers: Share;
  connection: {
    /** Counts it for a caller; false if that has as many as it may. */
    belongTo(caller: string): boolean;
    giveWay(): void;
  };
}

/** A request, and its answer's way to the client. */
export class Exchange implements Item {
  /** The client's bytes; a web stream of them would slow each call. */
  body: AsyncIterable<Uint8Array<ArrayBuffer>> | undefined;
  /** Its name, once it is known. */
  caller: string = UNKNOWN;
  /** Bytes of the answer that wait or are reserved, beyond those that are free. */
  amount = 0;
  /** Why it is refused, if its status does not tell. */
  reason: string | undefined;
  /** Whether the client listens for what may come. */
  isListening = false;
  /** Answers it at once, though what it waits for goes on; absent if it cannot be. */
  answerSoon: (() => void) | undefined;
  /** Whether the client has not sent all of the request. */
  isArriving: () => boolean = () => false;
  /** Resolves once the answer has been sent, or its client is gone. */
  readonly ended: Promise<void>;
  #end: () => void;
  #gone = new AbortController();
  #reserved = 0;
  /** Bytes that the client has not taken. */
  #waiting = 0;
  /** Since when the client has taken nothing of what waits. */
  #waitsSince = Infinity;

  constructor(private way?: Way) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.#end = resolve;
  }

  /** Aborts if the client goes before it has the answer. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Ends it; with the answer, or as the client is gone. */
  end(isGone = true): void {
    if (isGone) this.#gone.abort();
    this.way?.answers.drop(this);
    this.#end();
  }

  /** Notes the caller; false if it has as many connections as it may. */
  identify({ name, isKnown }: { name: string; isKnown: boolean }): boolean {
    this.caller = name;
    return !isKnown || this.way?.connection.belongTo(name) !== false;
  }

  /** Waits for room for an answer of so many bytes, before it is made. */
  async reserve(bytes: number): Promise<void> {
    if (!this.way || this.amount > 0 || this.gone.aborted) return;
    this.#reserved = bytes;
    this.amount = this.#counted;
    // An answer to a client that is gone is dropped.
    await this.way.answers.enter(this, this.gone).catch(() => {});
  }

  /** Holds bytes of the answer for the client; false if there is no room. */
  hold(bytes: number): boolean {
    if (!this.way) return true;
    const { answers } = this.way;
    if (!answers.items.has(this)) answers.hold(this);
    this.#reserved = Math.max(0, this.#reserved - bytes);
    this.#waiting += bytes;
    if (this.#waitsSince === Infinity) this.noteTaken(0);
    return answers.resize(this, this.#counted);
  }

  get #counted(): number {
    return Math.max(0, this.#waiting + this.#reserved - FREE_BYTES);
  }

  /** Notes that the client has taken bytes, and waits for others. */
  noteTaken(bytes: number): void {
    this.#waiting -= bytes;
    this.#waitsSince = performance.now();
    if (this.amount > this.#counted) {
      this.way?.answers.measure(this, this.#counted);
    }
  }

  /** Notes that nothing waits for the client, if that is so. */
  maybeRest(): void {
    if (this.#waiting === 0) this.#waitsSince = Infinity;
  }

  get #isStalled(): boolean {
    return performance.now() - this.#waitsSince > STALLED_MS;
  }

  /**
   * A client that does not read, or proves nothing, does not use it. What is still
   * sent gives way to others alone: a caller's own next request is refused.
   */
  rest(asking?: string): Rest {
    if (this.#isStalled) return "idle";
    const mayWait = this.isListening || this.caller === UNKNOWN ||
      this.isArriving() && asking !== this.caller;
    return mayWait ? "listening" : "used";
  }

  /** Ends the connection, as no other answer can pass on it. */
  giveWay(): void {
    this.way?.connection.giveWay();
  }
}

/** Resolves once a client has had time to take a large answer, and others had the server. */
export async function untilTaken(
  { ended }: Pick<Exchange, "ended">,
  bytes: number,
  pause: (ms: number) => Promise<void> = (ms) =>
    new Promise((resolve) => setTimeout(resolve, ms)),
): Promise<void> {
  if (bytes <= FREE_BYTES) return;
  await isOverWithin(ended, TAKEN_MS);
  await pause(PAUSE_MS * bytes / MIB);
}

const exchanges = new WeakMap<Request, Exchange>();

export function setExchange(request: Request, exchange: Exchange): void {
  exchanges.set(request, exchange);
}

/** Has ended for a request that did not come over a connection. */
export function exchangeOf(request: Request): Exchange {
  const known = exchanges.get(request);
  if (known) return known;
  const exchange = new Exchange();
  exchange.end();
  return exchange;
}

/** A name or address and a port; user information would hide another name. */
const HOST = /^([a-z\d._-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

export interface ExchangeOptions {
  scheme: "http" | "https";
  handler: (request: Request) => Promise<Response>;
  /** Time for the client to take the next piece of an answer. */
  takeTimeoutMs: number;
  /** Resolves once the answers before it on its connection are sent. */
  turn: Promise<void>;
}

/** Answers a request of Node by a handler of web-standard requests; never throws. */
export async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  exchange: Exchange,
  { scheme, handler, takeTimeoutMs, turn }: ExchangeOptions,
): Promise<void> {
  outgoing.on("close", () => exchange.end(!outgoing.writableFinished));
  // The reader of a broken body gets the error.
  incoming.on("error", () => {});
  outgoing.on("error", () => {});
  exchange.isArriving = () => !incoming.complete;
  boundChunks(incoming);
  await turn;
  if (exchange.gone.aborted) return;
  try {
    const request = maybeRequest(incoming, scheme, exchange.gone);
    exchange.body = incoming.iterator({ destroyOnReturn: false });
    if (request) setExchange(request, exchange);
    const response = request
      ? await handler(request)
      : refuseHttp(400, "A request has a usual method, a path, and one Host.");
    // The rest of a body would be taken for the next request.
    if (!incoming.complete) outgoing.setHeader("connection", "close");
    await send(response, outgoing, { exchange, takeTimeoutMs });
    if (!incoming.complete) incoming.destroy();
  } catch {
    // The client is gone.
    outgoing.destroy();
    exchange.end();
  }
}

/** Chunks of a body that may have any size. */
const MOST_CHUNKS = 1000;
/** Bytes that each of more chunks has, on average: each takes 400 bytes of its own. */
const LEAST_CHUNK = 16;

/** Ends the connection of a body in tiny chunks, which the parser hands on at once. */
function boundChunks(incoming: IncomingMessage): void {
  const push = incoming.push.bind(incoming);
  let [chunks, bytes] = [0, 0];
  incoming.push = (chunk: Uint8Array | null, encoding) => {
    bytes += chunk?.length ?? 0;
    if (++chunks > MOST_CHUNKS && bytes < chunks * LEAST_CHUNK) {
      incoming.socket.destroy();
      return false;
    }
    return push(chunk, encoding);
  };
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

interface Sending {
  exchange: Exchange;
  takeTimeoutMs: number;
}

/** Sends a response as fast as its client reads it. */
async function send(
  response: Response,
  outgoing: ServerResponse,
  sending: Sending,
): Promise<void> {
  const { exchange } = sending;
  const { gone } = exchange;
  const { status, headers, body } = response;
  const head = Object.fromEntries(headers);
  if (head["content-type"] === "application/json") {
    // An answer with its length is cheaper than one in chunks, for both sides.
    const whole = await response.bytes();
    const isHeld = exchange.hold(whole.length);
    const sent = isHeld ? whole : UNREAD;
    outgoing.writeHead(isHeld ? status : 503, {
      ...head,
      "content-length": sent.length,
    });
    await write(sent, outgoing, sending);
    return finish();
  }
  outgoing.writeHead(status, head);
  if (!body) return finish();
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
  // What its maker has ready is read at once, so that it is counted.
  let sent = Promise.resolve();
  while (true) {
    const { done, value } = await reader.read();
    if (done) break;
    if (!exchange.hold(value.length)) return exchange.giveWay();
    sent = sent.then(() => write(value, outgoing, sending));
  }
  await sent;
  finish();

  /** An answer may wait behind another one of its connection. */
  function finish(): void {
    exchange.noteTaken(0);
    outgoing.end();
  }
}

/** Sends bytes that are held, piece by piece, each as the client takes it. */
async function write(
  bytes: Uint8Array,
  outgoing: ServerResponse,
  { exchange, takeTimeoutMs }: Sending,
): Promise<void> {
  const { gone } = exchange;
  for (let at = 0; at < bytes.length && !gone.aborted; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (!outgoing.write(piece)) {
      const late = setTimeout(() => exchange.giveWay(), takeTimeoutMs);
      await once(outgoing, "drain", { signal: gone }).catch(() => {});
      clearTimeout(late);
    }
    exchange.noteTaken(piece.length);
  }
  exchange.maybeRest();
}

const UNREAD = new TextEncoder().encode(
  JSON.stringify(refusalOf(
    "Cannot send this answer as those that clients have not read fill the memory that there is for them: read the answers before.",
  )),
);
