import {
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
} from "../../deps/mcp_server.ts";
import { fields } from "../protocol/fields.ts";

/** A trace that a request is a part of, by the names of W3C's headers. */
export interface TraceContext {
  traceparent?: string;
  tracestate?: string;
  [name: string]: string | undefined;
}

/** W3C asks for at least so many. */
const MOST_CHARS = 512;
/** All of it is logged: another text of a client is dropped. */
const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
/** Visible characters of ASCII. */
const REQUEST_ID = /^[!-~]{1,128}$/;

/** Reads the trace of a request, from MCP's metadata or else from HTTP. */
export function readTrace(meta: unknown, headers?: Headers): TraceContext {
  const {
    [TRACEPARENT_META_KEY]: parent,
    [TRACESTATE_META_KEY]: state,
  } = fields(meta);
  const [traceparent, tracestate] = isOf(TRACEPARENT, parent)
    ? [parent, state]
    : [headers?.get("traceparent"), headers?.get("tracestate")];
  if (!isOf(TRACEPARENT, traceparent)) return {};
  return { traceparent, ...(isShort(tracestate) ? { tracestate } : {}) };
}

/** The caller's own id of a request, if it has a usual form. */
export function readRequestId(headers?: Headers): string | undefined {
  const id = headers?.get("x-request-id");
  return isOf(REQUEST_ID, id) ? id : undefined;
}

function isOf(form: RegExp, data: unknown): data is string {
  return typeof data === "string" && form.test(data);
}

function isShort(data: unknown): data is string {
  return typeof data === "string" && data.length <= MOST_CHARS;
}
