import { ProtocolError } from "../../deps/mcp_server.ts";

// Of JSON-RPC 2.0.
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
// Of MCP.
export const HEADER_MISMATCH = -32020;

/** The key of the id of a call, in the metadata of its answer or the data of its error. */
export const RUN = "mcp-run-python/run";

export function invalidParams(
  message: string,
  data?: Record<string, string>,
): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message, data);
}
