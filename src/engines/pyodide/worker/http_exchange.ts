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
import {
  DROPPED,
  refuseRequest,
  toFailure,
} from "../../shared/request_failures.ts";

const TOO_LARGE =
  `Cannot send a request that is malformed, or whose method, URL and headers have more than ${LONGEST_HEAD} characters or ${MOST_HEADERS} headers: send data in its body`;

const RUN_IS_OVER: Failure = {
  kind: "other",
  message: "The run that sent the request is over",
};
const NO_RUN: Failure = {
  kind: "other",
  message:
    "Cannot use the network between two runs: only a run of the session can",
};

/** The answer to a request, before its body; Python gets it as JSON text. */
export type Reply = { head: ResponseHead } | { failure: Failure };

/**
 * Makes the network that Python sees: the sandbox process sends the requests if
 * the user has granted a host; the worker refuses them otherwise.
 *
 * Python would take an object with `next` and `send` for a generator.
 *
 * @param port Leads to the sandbox process; undefined without a granted host.
 */
export function connectNetwork(
  port: MessagePort | undefined,
  takeRoom: (size: number) => void,
  isRunning: () => boolean,
) {
  const post = port?.postMessage.bind(port);
  const waiting = new Map<number, (message: FromNetwork) => void>();
  let last = 0;
  /** The last before the rewind: Python counts from there. */
  let base = 0;
  // Of a number that was not given, the answer could come once it is.
  const toId = (given: number) => {
    const id = base + Number(given);
    if (id > base && id <= last) return id;
    throw new RangeError("There is no such request");
  };

  const take = (message: FromNetwork) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  };
  if (port) {
    port.onmessage = ({ data }: MessageEvent<FromNetwork>) => take(data);
  }
  const ask = (message: ToNetwork, transfer: Transferable[] = []) =>
    new Promise<FromNetwork>((resolve) => {
      if (!isRunning()) return resolve(failed(message.id, NO_RUN));
      waiting.set(message.id, resolve);
      post?.(message, transfer);
    });
  const send = async (id: number, sent: NetworkRequest): Promise<Reply> => {
    // The sandbox process reads bounded requests only: the guest must not choose the
    // server's costs.
    const request = parseRequest(sent);
    if (!request) return { failure: { kind: "invalid", message: TOO_LARGE } };
    if (!post) return { failure: refuseRequest(request.url) };
    if (!isRunning()) return { failure: NO_RUN };
    takeRoom(sizeOf(request));
    const transfer = request.body ? [request.body.buffer] : [];
    const message = await ask({ type: "send", id, request }, transfer);
    if (message.type === "head") return { head: message.head };
    return { failure: toFailure(message) };
  };
  const forPython = {
    makeId: () => ++last - base,
    /** @param body A character for each byte, as a buffer is an object of JavaScript. */
    async begin(given: number, request: string, body?: string) {
      const id = toId(given);
      const { method, url, headers } = JSON.parse(request);
      const sent = {
        method,
        url,
        headers,
        body: body ? toBytes(body) : undefined,
      };
      return JSON.stringify(await send(id, sent));
    },
    /** Gives a part of a body, undefined at its end, or a failure as text. */
    async read(given: number): Promise<Uint8Array | string | undefined> {
      const id = toId(given);
      const message = await ask({ type: "read", id });
      if (message.type === "part") return message.part ?? undefined;
      return JSON.stringify(toFailure(message));
    },
    /** Ends a request, or the rest of its response; a call that waits for it fails. */
    drop(given: number): void {
      const id = toId(given);
      if (isRunning()) post?.({ type: "drop", id } satisfies ToNetwork);
      take(failed(id, DROPPED));
    },
  };
  return {
    forPython,
    /** Python counts from 1 again; a late answer is for none of its new requests. */
    forget(): void {
      base = last;
    },
    /** Fails the requests of a run that is over, which have ended with it. */
    refuseOpen(): void {
      for (const id of waiting.keys()) take(failed(id, RUN_IS_OVER));
    },
  };
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The room that a request takes on its way; see `backlog.ts`. */
export function sizeOf({ url, headers, body }: NetworkRequest): number {
  const texts = [url, ...headers.flat()];
  const length = texts.reduce((sum, text) => sum + text.length, 200);
  return length + (body?.length ?? 0);
}

function failed(id: number, failure: Failure): FromNetwork {
  return { type: "failed", id, failure };
}
