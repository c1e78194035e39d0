import { ProtocolError } from "../../deps/mcp_server.ts";

// Of JSON-RPC 2.0.
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
// Of MCP.
export const HEADER_MISMATCH = -32020;

export function invalidParams(message: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, message);
}
