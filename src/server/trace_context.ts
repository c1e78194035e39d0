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

/** Reads the trace of a request, from MCP's metadata or else from HTTP. */
export function readTrace(meta: unknown, headers?: Headers): TraceContext {
  const {
    [TRACEPARENT_META_KEY]: parent,
    [TRACESTATE_META_KEY]: state,
  } = fields(meta);
  const [traceparent, tracestate] = isShort(parent)
    ? [parent, state]
    : [headers?.get("traceparent"), headers?.get("tracestate")];
  if (!isShort(traceparent)) return {};
  return { traceparent, ...(isShort(tracestate) ? { tracestate } : {}) };
}

function isShort(data: unknown): data is string {
  return typeof data === "string" && data.length <= MOST_CHARS;
}
