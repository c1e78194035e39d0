import { DeadlineError, within } from "../../../deadline.ts";
import { hostOf } from "../../../grants/refusal.ts";
import {
  type Failure,
  type FromNetwork,
  LONGEST_HEAD,
  MOST_HEADERS,
  parseRequest,
  type ResponseHead,
  type ToNetwork,
} from "../../../protocol/http_exchange.ts";
import { MIB } from "../../../units.ts";
import {
  DROPPED,
  refuseRequest,
  toFailure,
} from "../../shared/request_failures.ts";
import {
  type CallAnswer,
  type HostCall,
  monty,
  type MontyJson,
  PythonError,
  toFailed,
} from "./host_call.ts";
import { type Asked, readArguments } from "./http_arguments.ts";
import { redirected } from "./redirect.ts";
import { maybeText } from "./utf8.ts";

export interface HttpBounds {
  /** Of a request with its redirects and the body of its response. */
  timeoutMs: number;
  bodyBytes: number;
  redirects: number;
}

const BOUNDS: HttpBounds = {
  timeoutMs: 60_000,
  bodyBytes: 10 * MIB,
  redirects: 10,
};

/**
 * Opens `http_request()` of Python: its requests go to the sandbox process, which
 * checks their hosts, those of redirects, too.
 *
 * @param port Leads to the sandbox process; undefined without a granted host.
 */
export function openHttp(port: MessagePort | undefined, bounds = BOUNDS) {
  const waiting = new Map<number, (message: FromNetwork) => void>();
  let last = 0;
  if (port) {
    port.onmessage = ({ data }: MessageEvent<FromNetwork>) =>
      waiting.get(data.id)?.(data);
  }
  return {
    async request(call: HostCall): Promise<CallAnswer> {
      try {
        return { value: await answer(readArguments(call)) };
      } catch (error) {
        return toFailed(error);
      }
    },
    close(): void {
      for (const id of waiting.keys()) drop(id);
      port?.close();
    },
  };

  async function answer(asked: Asked): Promise<MontyJson> {
    const first = last + 1;
    try {
      return await within(follow(asked), bounds.timeoutMs, shown(asked.url));
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      for (let id = first; id <= last; id++) drop(id);
      throw new PythonError("TimeoutError", error.message);
    }
  }

  async function follow(asked: Asked): Promise<MontyJson> {
    let next: Asked | undefined = asked;
    for (let left = bounds.redirects; next; left--) {
      const current: Asked = next;
      const id = ++last;
      const head = await send(id, current);
      next = redirected(current, head);
      if (!next) return toResponse(head, await bodyOf(id, current.url));
      drop(id);
      if (left === 0) {
        const words = `more than ${bounds.redirects} redirects`;
        throw osError(`The request to ${shown(asked.url)} led to ${words}`);
      }
    }
    throw new Error("unreachable");
  }

  async function send(id: number, asked: Asked): Promise<ResponseHead> {
    const request = parseRequest(asked);
    if (!request) {
      throw osError(
        `Cannot send a request whose method, URL and headers have more than ${LONGEST_HEAD} characters or ${MOST_HEADERS} headers: send data in its body`,
      );
    }
    if (!port) throw toPythonError(refuseRequest(request.url));
    const message = await ask({ type: "send", id, request });
    if (message.type === "head") return message.head;
    throw toPythonError(toFailure(message));
  }

  async function bodyOf(id: number, url: string): Promise<Uint8Array> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (;;) {
      const message = await ask({ type: "read", id });
      if (message.type !== "part") throw toPythonError(toFailure(message));
      if (!message.part) return await joined(parts);
      size += message.part.length;
      if (size > bounds.bodyBytes) {
        drop(id);
        throw osError(
          `The response of ${
            shown(url)
          } has more than ${bounds.bodyBytes} bytes, the most that http_request() takes`,
        );
      }
      parts.push(message.part);
    }
  }

  function ask(message: ToNetwork): Promise<FromNetwork> {
    const { id } = message;
    return new Promise<FromNetwork>((resolve) => {
      waiting.set(id, resolve);
      port?.postMessage(message);
    }).finally(() => waiting.delete(id));
  }

  /** Ends a request; a call that waits for it fails. */
  function drop(id: number): void {
    port?.postMessage({ type: "drop", id } satisfies ToNetwork);
    waiting.get(id)?.({ type: "failed", id, failure: DROPPED });
  }
}

async function joined(parts: Uint8Array<ArrayBuffer>[]): Promise<Uint8Array> {
  return await new Blob(parts).bytes();
}

function toResponse(
  { status, headers }: ResponseHead,
  body: Uint8Array,
): MontyJson {
  const joined = new Map<string, string>();
  for (const [name, value] of headers) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const pairs = [...joined].map(([name, value]): [MontyJson, MontyJson] => [
    monty.text(name),
    monty.text(value),
  ]);
  const text = maybeText(body);
  return monty.tuple(
    monty.int(status),
    monty.dict(pairs),
    text === undefined ? monty.bytes(body) : monty.text(text),
  );
}

function toPythonError({ kind, message }: Failure): PythonError {
  return kind === "denied"
    ? new PythonError("PermissionError", message)
    : osError(message);
}

function osError(message: string): PythonError {
  return new PythonError("OSError", message);
}

function shown(address: string): string {
  const url = URL.parse(address);
  return `"${url ? hostOf(url) : address}"`;
}
