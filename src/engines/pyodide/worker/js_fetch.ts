/**
 * The web's `fetch` for Python, as `js.fetch` and below `pyodide.http`: as much
 * of it as these need, on the network of the worker. None of Deno's classes
 * is in it.
 *
 * @module
 */
import type {
  HeaderList,
  NetworkRequest,
  ResponseHead,
} from "../../../protocol/http_exchange.ts";
import type { Network } from "./http_exchange.ts";

const MOST_REDIRECTS = 20;
/** Whoever is asked next need not know these. */
const PRIVATE = ["authorization", "cookie"];

/** What a request is made of, as Python hands it over. */
interface Init {
  method?: unknown;
  headers?: unknown;
  body?: unknown;
  redirect?: unknown;
  signal?: unknown;
}

/** A request that was prepared. */
export class Request {
  readonly url: string;
  readonly method: string;
  readonly init: Init;

  /** Takes a URL, or another request; what `init` says comes first. */
  constructor(input: unknown, init: Init = {}) {
    const before = input instanceof Request ? input : undefined;
    this.url = new URL(before?.url ?? String(input)).href;
    this.init = { ...before?.init, ...init };
    this.method = String(this.init.method ?? "GET").toUpperCase();
  }
}

/** Makes a `fetch` that sends its requests through a network. */
export function fetchThrough(
  network: Network,
): (input: unknown, init?: Init) => Promise<object> {
  return async (input, init) => {
    const request = new Request(input, init);
    const { signal, redirect } = request.init;
    let next: NetworkRequest = {
      method: request.method,
      url: request.url,
      headers: toHeaderList(request.init.headers),
      body: toBytes(request.init.body),
    };
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      const { url } = next;
      // What is sent is gone, and may be wanted again.
      const sent = { ...next, body: next.body?.slice() };
      const [id, head] = await exchange(network, sent, signal);
      const target = redirect === "manual" ? undefined : redirection(head, url);
      if (target === undefined) {
        const body = new Body(network, id);
        return toResponse(head, { url, redirected: redirects > 0 }, body);
      }
      network.drop(id);
      if (redirect === "error") throw new TypeError(`${url} is a redirect`);
      next = redirected(next, head.status, target);
    }
    throw new TypeError(`${request.url} has over ${MOST_REDIRECTS} redirects`);
  };
}

/** Sends a request; it ends when the signal says so. */
async function exchange(
  network: Network,
  request: NetworkRequest,
  signal: unknown,
): Promise<[id: number, head: ResponseHead]> {
  const id = network.next();
  if (!(signal instanceof AbortSignal)) {
    return [id, headOf(await network.send(id, request))];
  }
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    network.drop(id);
    aborted.reject(signal.reason);
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  const reply = signal.aborted ? aborted.promise : network.send(id, request);
  return [id, headOf(await Promise.race([reply, aborted.promise]))];
}

function headOf(reply: Awaited<ReturnType<Network["send"]>>): ResponseHead {
  if ("failure" in reply) throw new TypeError(reply.failure.message);
  return reply.head;
}

/** Where a response leads, if it is a redirect. */
function redirection(
  { status, headers }: ResponseHead,
  from: string,
): string | undefined {
  const [, to] = headers.find(([name]) => name === "location") ?? [];
  return [301, 302, 303, 307, 308].includes(status) && to !== undefined
    ? new URL(to, from).href
    : undefined;
}

function redirected(
  { method, url, headers, body }: NetworkRequest,
  status: number,
  target: string,
): NetworkRequest {
  const isElsewhere = new URL(target).origin !== new URL(url).origin;
  const isGet = status === 303 && method !== "HEAD" ||
    status < 303 && method === "POST";
  return {
    method: isGet ? "GET" : method,
    url: target,
    headers: headers.filter(([name]) => {
      const lower = name.toLowerCase();
      return !(isElsewhere && PRIVATE.includes(lower)) &&
        !(isGet && lower.startsWith("content-"));
    }),
    body: isGet ? undefined : body,
  };
}

/** The body of a response, which comes in parts and can be had once. */
class Body {
  isUsed = false;

  constructor(private network: Network, private id: number) {}

  /** The next part, or undefined at the end. */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    this.isUsed = true;
    const answer = await this.network.read(this.id);
    if ("failure" in answer) throw new TypeError(answer.failure.message);
    return answer.part ?? undefined;
  }

  /** All of it. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.isUsed) throw new TypeError("The body was read already");
    const parts: Uint8Array[] = [];
    let length = 0;
    for (let part = await this.read(); part; part = await this.read()) {
      parts.push(part);
      length += part.length;
    }
    const all = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  /** Ends it. */
  drop(): void {
    this.network.drop(this.id);
  }
}

interface Source {
  url: string;
  redirected: boolean;
}

function toResponse(
  { status, statusText, headers }: ResponseHead,
  source: Source,
  body: Body,
): object {
  const bytes = () => body.bytes();
  const text = async () => new TextDecoder().decode(await bytes());
  return {
    ...source,
    ok: status >= 200 && status < 300,
    type: "basic",
    status,
    statusText,
    headers: toHeaders(headers),
    get bodyUsed() {
      return body.isUsed;
    },
    body: { getReader: () => toReader(body) },
    bytes,
    arrayBuffer: async () => (await bytes()).buffer,
    text,
    json: async () => JSON.parse(await text()),
    clone() {
      throw new TypeError("Cannot clone a response: read it once, and keep it");
    },
  };
}

function toReader(body: Body): object {
  return {
    async read() {
      const value = await body.read();
      return { value, done: value === undefined };
    },
    cancel: () => Promise.resolve(body.drop()),
    releaseLock() {},
  };
}

function toHeaders(list: HeaderList): object {
  const all = new Map<string, string>();
  for (const [name, value] of list) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return {
    get: (name: unknown) => all.get(String(name).toLowerCase()) ?? null,
    has: (name: unknown) => all.has(String(name).toLowerCase()),
    getSetCookie: () =>
      list.filter(([name]) => name === "set-cookie").map(([, value]) => value),
    entries: () => all.entries(),
    keys: () => all.keys(),
    values: () => all.values(),
    [Symbol.iterator]: () => all.entries(),
  };
}

/** Pairs, or an object of names. */
function toHeaderList(headers: unknown): HeaderList {
  if (headers === undefined || headers === null) return [];
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  return pairs.map(([name, value]) => [String(name), String(value)]);
}

function toBytes(body: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body.slice(0));
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body;
    return new Uint8Array(buffer, byteOffset, byteLength).slice();
  }
  throw new TypeError("The body of a request must be text or bytes");
}
