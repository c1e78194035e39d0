import type { NetworkEvents } from "../engines/engine.ts";
import { namedIpv6 } from "../grants/hosts.ts";
import { hostOf, type PolicyInUse, refusal } from "../grants/refusal.ts";
import {
  type Failure,
  type FromNetwork,
  type HeaderList,
  type NetworkRequest,
  parseToNetwork,
  type ResponseHead,
} from "../protocol/http_exchange.ts";

/** Requests of a run without a response yet; more wait. */
const MOST_WAITING = 256;

const LARGEST_PART = 1 << 18;

/** Headers that a client sets itself, or that would be lies. */
const OWN_HEADERS = [
  ...["accept-encoding", "connection", "content-length", "expect", "host"],
  ...["keep-alive", "proxy-authorization", "proxy-connection", "te"],
  ...["trailer", "transfer-encoding", "upgrade"],
];

/**
 * Sends the HTTP requests of a run, which its worker writes to a port.
 *
 * Deno checks which hosts may be reached, by the flags of this process: each
 * request, and each address that its host resolves to. Deno has no flag for
 * ranges of IPv6; so names are reached by IPv4 only, which is bounded, and by
 * IPv6 the addresses that are listed themselves.
 *
 * @returns Ends all that is under way.
 */
export function serveNetwork(
  port: MessagePort,
  { hosts, policy, onWord, onTaken, onReached }: NetworkEvents & {
    hosts: readonly string[];
    policy?: PolicyInUse | undefined;
    /** Called with a host that has answered. */
    onReached(host: string): void;
  },
): Disposable {
  const byIpv4 = Deno.createHttpClient({ localAddress: "0.0.0.0" });
  const byAny = Deno.createHttpClient({});
  const ipv6 = namedIpv6(hosts);
  const exchanges = new Map<number, Exchange>();
  const line = new Line(MOST_WAITING);
  const post = (message: FromNetwork, parts: ArrayBuffer[] = []) =>
    port.postMessage(message, parts);

  port.onmessage = ({ data }) => {
    onWord();
    const message = parseToNetwork(data);
    if (message?.type === "send") {
      onTaken(message.request);
      send(message.id, message.request);
    } else if (message?.type === "read") read(message.id);
    else if (message?.type === "drop") close(message.id);
  };
  return {
    [Symbol.dispose]() {
      port.onmessage = null;
      for (const id of exchanges.keys()) close(id);
      byIpv4.close();
      byAny.close();
    },
  };

  async function send(id: number, request: NetworkRequest): Promise<void> {
    if (exchanges.has(id)) return;
    const exchange: Exchange = { stop: new AbortController() };
    exchanges.set(id, exchange);
    await line.enter();
    const url = URL.parse(request.url);
    try {
      const client = ipv6.includes(url?.hostname ?? "") ? byAny : byIpv4;
      const response = await exchangeWith(url, request, {
        client,
        signal: exchange.stop.signal,
      });
      if (url) onReached(hostOf(url));
      exchange.body = response.body?.getReader({ mode: "byob" });
      post({ type: "head", id, head: toHead(response, request) });
    } catch (error) {
      fail(id, url, error);
    } finally {
      line.leave();
    }
  }

  async function read(id: number): Promise<void> {
    const exchange = exchanges.get(id);
    if (!exchange) return post({ type: "part", id, part: null });
    try {
      const room = new Uint8Array(LARGEST_PART);
      const { value, done = true } = await exchange.body?.read(room) ?? {};
      if (done || !value) {
        close(id);
        return post({ type: "part", id, part: null });
      }
      // A small part would keep all of the room.
      const part = value.length * 2 < LARGEST_PART ? value.slice() : value;
      post({ type: "part", id, part }, [part.buffer]);
    } catch (error) {
      fail(id, null, error);
    }
  }

  function fail(id: number, url: URL | null, error: unknown): void {
    if (!exchanges.has(id)) return;
    close(id);
    post({ type: "failed", id, failure: toFailure(error, url, policy) });
  }

  function close(id: number): void {
    const exchange = exchanges.get(id);
    exchanges.delete(id);
    // Else Deno closes a connection that is being read from some time later.
    exchange?.body?.cancel().catch(() => {});
    exchange?.stop.abort();
  }
}

interface Exchange {
  stop: AbortController;
  body?: ReadableStreamBYOBReader | undefined;
}

class Line {
  #waiting: (() => void)[] = [];

  constructor(private room: number) {}

  async enter(): Promise<void> {
    if (this.room > 0) this.room--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.room++;
  }
}

async function exchangeWith(
  url: URL | null,
  { method, headers, body }: NetworkRequest,
  options: { client: Deno.HttpClient; signal: AbortSignal },
): Promise<Response> {
  // Other schemes are not the network: this process may read files.
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new TypeError(
      `Cannot send a request to ${
        url ? `${url.protocol} URLs` : "what is no URL"
      } as only http and https are known`,
    );
  }
  const own = new Headers(
    headers.filter(([name]) => !OWN_HEADERS.includes(name.toLowerCase())),
  );
  if (!isDecoded(headers)) own.set("accept-encoding", "identity");
  return await fetch(url, {
    method,
    headers: own,
    ...(body && body.length > 0 ? { body } : {}),
    redirect: "manual",
    ...options,
  });
}

/** Whether a compressed body is to be decoded; part of a body is not. */
function isDecoded(headers: HeaderList): boolean {
  return !headers.some(([name, value]) =>
    name.toLowerCase() === "range" ||
    name.toLowerCase() === "accept-encoding" && value.trim() === "identity"
  );
}

function toHead(
  { status, statusText, headers }: Response,
  request: NetworkRequest,
): ResponseHead {
  const isLost = isDecoded(request.headers) &&
    ["gzip", "br"].includes(headers.get("content-encoding") ?? "");
  return {
    status,
    statusText,
    headers: [...headers].filter(([name]) =>
      name !== "transfer-encoding" && name !== "connection" &&
      !(isLost && (name === "content-encoding" || name === "content-length"))
    ),
  };
}

/** Reads the words of Deno's error, which has no code. */
function toFailure(
  error: unknown,
  url: URL | null,
  policy: PolicyInUse | undefined,
): Failure {
  const cause = error instanceof Error ? error.cause : undefined;
  const text = [error, cause].filter((one) => one instanceof Error)
    .map(({ message }) => message).join(" ");
  const host = url ? hostOf(url) : "";
  const [, closed] = /Requires net access to "([^"]+)"/.exec(text) ?? [];
  if (closed !== undefined) {
    const address = closed === host ? undefined : closed;
    const message = refusal(host, address, policy);
    return { kind: "denied", message };
  }
  if (text.includes("dns error")) {
    return {
      kind: "unknown",
      message: `No name server knows the host of "${host}"`,
    };
  }
  if (text.includes("Connection refused")) {
    return { kind: "refused", message: `"${host}" refused the connection` };
  }
  const [, reason] = /client error \(\w+\): (.*)/.exec(text) ?? [];
  if (reason !== undefined) {
    const message = `Cannot reach "${host}": ${reason.trim()}`;
    return { kind: "other", message };
  }
  // A request that was sent fails with a cause, a malformed request without.
  const kind = url && cause === undefined ? "invalid" : "other";
  return { kind, message: text.trim() };
}
