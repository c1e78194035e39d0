// Messages about HTTP requests of a run, on a port of their own between a Python
// worker and its sandbox process: the worker has no permission, so its process
// sends the requests, as far as it may reach their hosts itself.
import { fields, is, isBytes, readMessage } from "./fields.ts";

/** Names and values of headers, in order; a name can be there twice. */
export type HeaderList = [name: string, value: string][];

export interface NetworkRequest {
  method: string;
  url: string;
  headers: HeaderList;
  body?: Uint8Array<ArrayBuffer> | undefined;
}

/** A response without its body; a redirect is a response, too. */
export interface ResponseHead {
  status: number;
  statusText: string;
  headers: HeaderList;
}

/** The reason why there is no response, or no more of it. */
export interface Failure {
  /** `unknown` if the host has no address, `invalid` if it is not a request. */
  kind: "denied" | "unknown" | "refused" | "invalid" | "other";
  message: string;
}

/** Worker to sandbox process; `id` is a request's own. */
export type ToNetwork =
  | { type: "send"; id: number; request: NetworkRequest }
  /** Asks for the next part of the body. */
  | { type: "read"; id: number }
  /** The rest is not wanted. */
  | { type: "drop"; id: number };

/** Sandbox process to worker: one for each `send` and each `read`. */
export type FromNetwork =
  | { type: "head"; id: number; head: ResponseHead }
  /** Null at the end of the body. */
  | { type: "part"; id: number; part: Uint8Array<ArrayBuffer> | null }
  | { type: "failed"; id: number; failure: Failure };

const isId = (data: unknown): data is number => Number.isSafeInteger(data);
const FORMS = {
  send: { id: isId, request: is.any },
  read: { id: isId },
  drop: { id: isId },
};

/** Undefined if the data is outside this protocol. */
export function parseToNetwork(data: unknown): ToNetwork | undefined {
  const message = readMessage(data, FORMS);
  if (message?.type !== "send") return message;
  const request = parseRequest(message.request);
  return request && { ...message, request };
}

/** Headers of a request; each costs the more time the more there are. */
export const MOST_HEADERS = 256;
/** Characters of method, URL and headers. */
export const LONGEST_HEAD = 64 * 1024;

/** Undefined if the request is malformed, or its head is beyond the bounds. */
export function parseRequest(data: unknown): NetworkRequest | undefined {
  const { method, url, headers, body } = fields(data);
  return is.text(method) && is.text(url) &&
      isHeaderList(headers) && (body === undefined || isBytes(body)) &&
      method.length + url.length + lengthOf(headers) <= LONGEST_HEAD
    ? { method, url, headers, body }
    : undefined;
}

function lengthOf(headers: HeaderList): number {
  return headers.flat().reduce((sum, text) => sum + text.length, 0);
}

function isHeaderList(data: unknown): data is HeaderList {
  return Array.isArray(data) && data.length <= MOST_HEADERS &&
    data.every((pair) =>
      Array.isArray(pair) && pair.length === 2 &&
      pair.every(is.text)
    );
}
