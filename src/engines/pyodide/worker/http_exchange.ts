import { hostOf, refusal } from "../../../grants/refusal.ts";
import {
  type Failure,
  type FromNetwork,
  LONGEST_HEAD,
  MOST_HEADERS,
  type NetworkRequest,
  parseRequest,
  type ResponseHead,
  type ToNetwork,
} from "../../../protocol/http_exchange.ts";

const TOO_LARGE =
  `Cannot send a request that is malformed, or whose method, URL and headers have more than ${LONGEST_HEAD} characters or ${MOST_HEADERS} headers: send data in its body`;

const DROPPED = "The request was ended before its response";

/** The answer to a request, before its body. */
export type Reply = { head: ResponseHead } | { failure: Failure };

/** A part of a body, or null at its end. */
export type Part = { part: Uint8Array<ArrayBuffer> | null } | {
  failure: Failure;
};

/**
 * The worker's end of the network: the sandbox process sends the requests if the
 * user has granted a host; the worker refuses them otherwise.
 */
export class Network {
  #last = 0;
  #send?: (message: ToNetwork) => void;
  #waiting = new Map<number, (message: FromNetwork) => void>();

  /** Connects the sandbox process; no host is granted before. */
  connect(port: MessagePort, takeRoom: (size: number) => void): void {
    const post = port.postMessage.bind(port);
    this.#send = (message) => {
      if (message.type !== "send") return post(message);
      takeRoom(sizeOf(message.request));
      const { body } = message.request;
      post(message, body ? [body.buffer] : []);
    };
    port.onmessage = ({ data }: MessageEvent<FromNetwork>) => this.#take(data);
  }

  /** Gives the number of the next request. */
  next(): number {
    return ++this.#last;
  }

  /** Sends a request; its body is gone afterwards. */
  async send(id: number, request: NetworkRequest): Promise<Reply> {
    // The sandbox process reads bounded requests only: the guest must not choose its costs.
    const parsed = parseRequest(request);
    if (!parsed) return { failure: { kind: "invalid", message: TOO_LARGE } };
    if (!this.#send) return { failure: refuse(parsed.url) };
    const message = await this.#ask({ type: "send", id, request: parsed });
    if (message.type === "head") return { head: message.head };
    return { failure: toFailure(message) };
  }

  /** Gives the next part of the body of a response; one call at a time. */
  async read(id: number): Promise<Part> {
    const message = await this.#ask({ type: "read", id });
    if (message.type === "part") return { part: message.part };
    return { failure: toFailure(message) };
  }

  /** Ends a request, or the rest of its response; a call that waits for it fails. */
  drop(id: number): void {
    this.#send?.({ type: "drop", id });
    const failure: Failure = { kind: "other", message: DROPPED };
    this.#take({ type: "failed", id, failure });
  }

  #ask(message: ToNetwork): Promise<FromNetwork> {
    return new Promise((resolve) => {
      this.#waiting.set(message.id, resolve);
      this.#send?.(message);
    });
  }

  #take(message: FromNetwork): void {
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}

/**
 * The network as Python sees it: its answers are JSON text, or bytes. Python would
 * take an object with `next` and `send` for a generator.
 */
export interface PythonNetwork {
  makeId(): number;
  begin(id: number, request: string, body?: Uint8Array): Promise<string>;
  /** Gives a part of a body, undefined at its end, or a failure as text. */
  read(id: number): Promise<Uint8Array | string | undefined>;
  drop(id: number): void;
}

/** Makes a network that Python can use. */
export function networkForPython(network: Network): PythonNetwork {
  return {
    makeId: () => network.next(),
    async begin(id, request, body) {
      const { method, url, headers } = JSON.parse(request);
      const own = body && new Uint8Array(body);
      const sent = { method, url, headers, body: own };
      return JSON.stringify(await network.send(id, sent));
    },
    async read(id) {
      const answer = await network.read(id);
      if ("failure" in answer) return JSON.stringify(answer.failure);
      return answer.part ?? undefined;
    },
    drop: (id) => network.drop(id),
  };
}

/** The room that a request takes on its way; see `backlog.ts`. */
export function sizeOf({ url, headers, body }: NetworkRequest): number {
  const texts = [url, ...headers.flat()];
  const length = texts.reduce((sum, text) => sum + text.length, 200);
  return length + (body?.length ?? 0);
}

function refuse(address: string): Failure {
  const url = URL.parse(address);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    const message = `Cannot send a request to "${address}"`;
    return { kind: "invalid", message };
  }
  return { kind: "denied", message: refusal(hostOf(url)) };
}

function toFailure(message: FromNetwork): Failure {
  return message.type === "failed"
    ? message.failure
    : { kind: "other", message: "The network answered out of turn" };
}
