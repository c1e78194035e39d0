/**
 * Error codes of JSON-RPC 2.0.
 *
 * @module
 */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
