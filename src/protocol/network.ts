/**
 * Messages about HTTP requests of a run, on a port of their own between a Python
 * worker and its sandbox process. The worker has no permission: its process
 * sends the requests, as far as it may reach their hosts itself.
 *
 * @module
 */

/** Names and values of headers, in order; a name can be there twice. */
export type Headers = [name: string, value: string][];

/** An HTTP request. */
export interface NetworkRequest {
  method: string;
  url: string;
  headers: Headers;
  body?: Uint8Array<ArrayBuffer>;
  /** Whether redirects are followed, or answered as they are. */
  follow: boolean;
}

/** What is known of a response before its body. */
export interface ResponseHead {
  status: number;
  statusText: string;
  /** Where it came from in the end. */
  url: string;
  redirected: boolean;
  headers: Headers;
}

/** Why there is no response. */
export type FailureKind =
  /** The host is not granted. */
  | "denied"
  /** Nobody knows the host. */
  | "unknown"
  /** Nobody listens there. */
  | "refused"
  /** The request makes no sense. */
  | "invalid"
  | "other";

/** Why there is no response, or no more of it. */
export interface Failure {
  kind: FailureKind;
  message: string;
}

/** Worker to sandbox process; `id` is a request's own. */
export type ToNetwork =
  | { type: "send"; id: number; request: NetworkRequest }
  /** Asks for the next part of the body. */
  | { type: "read"; id: number }
  /** Nobody wants the rest. */
  | { type: "drop"; id: number };

/** Sandbox process to worker; one for each `send` and each `read`. */
export type FromNetwork =
  | { id: number; head: ResponseHead }
  /** Null at the end of the body. */
  | { id: number; part: Uint8Array<ArrayBuffer> | null }
  | { id: number; failure: Failure };

/**
 * Reads one message from a worker.
 *
 * @returns Undefined if it is none of this protocol.
 */
export function parseToNetwork(data: unknown): ToNetwork | undefined {
  const { type, id, request } = fields(data);
  if (typeof id !== "number" || !Number.isSafeInteger(id)) return undefined;
  switch (type) {
    case "read":
    case "drop":
      return { type, id };
    case "send": {
      const parsed = parseRequest(request);
      return parsed && { type, id, request: parsed };
    }
  }
}

function parseRequest(data: unknown): NetworkRequest | undefined {
  const { method, url, headers, body, follow } = fields(data);
  if (
    typeof method !== "string" || typeof url !== "string" ||
    typeof follow !== "boolean" || !isHeaders(headers)
  ) return undefined;
  const request = { method, url, headers, follow };
  if (body === undefined) return request;
  const isOwn = body instanceof Uint8Array && body.buffer instanceof ArrayBuffer;
  return isOwn ? { ...request, body: body as Uint8Array<ArrayBuffer> } : undefined;
}

function isHeaders(data: unknown): data is Headers {
  return Array.isArray(data) && data.every((pair) =>
    Array.isArray(pair) && pair.length === 2 &&
    pair.every((text) => typeof text === "string")
  );
}

function fields(data: unknown): Record<string, unknown> {
  return typeof data === "object" && data !== null ? { ...data } : {};
}
