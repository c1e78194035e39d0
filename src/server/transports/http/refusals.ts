/** Codes of JSON-RPC for refusals of HTTP, as the SDK has them. */
export const REFUSED = -32000;

/** An answer to a request that no part of MCP has read. */
export function refuseHttp(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  id: string | number | null = null,
): Response {
  return Response.json(refusalOf(message, id), { status, headers });
}

export function refusalOf(message: string, id: string | number | null = null) {
  return { jsonrpc: "2.0", id, error: { code: REFUSED, message } };
}
