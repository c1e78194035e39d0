/** Codes of JSON-RPC for refusals of HTTP, as the SDK has them. */
export const REFUSED = -32000;

/** A refusal, as log and audit tell it. */
interface Refused {
  reason: string;
  /** The option that sets the bound, or makes the wall. */
  option?: string;
  id: string | number | null;
}

const refusals = new WeakMap<Response, Refused>();

/** An answer to a request that no part of MCP has read. */
export function refuseHttp(
  status: number,
  message: string,
  headers: Record<string, string> = {},
  id: string | number | null = null,
): Response {
  const response = Response.json(refusalOf(message, id), { status, headers });
  refusals.set(response, { reason: message, id });
  return response;
}

/** Notes the option for which a request is refused. */
export function refusedBy(option: string, response: Response): Response {
  const refused = refusals.get(response);
  if (refused) refused.option = option;
  return response;
}

/** Undefined if a response is not a refusal of the server's own. */
export function maybeRefused(response: Response): Refused | undefined {
  return refusals.get(response);
}

export function refusalOf(
  message: string,
  id: string | number | null = null,
  data?: object,
) {
  return { jsonrpc: "2.0", id, error: { code: REFUSED, message, data } };
}
