/** Heads of a POST of MCP, as 2025 clients send it. */
export const HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A request, as `fetch` and a raw connection send it. */
export interface Post {
  method: "POST";
  headers: Record<string, string>;
  body: string;
}

/**
 * A request of a 2026 client.
 *
 * @param name Of the tool, or the address of the resource.
 */
export function postRequest(
  method: string,
  name: string,
  { id = 1, ...params }: { id?: number; [param: string]: unknown },
): Post {
  const { session } = Object(params.arguments);
  return {
    method: "POST",
    headers: {
      ...HEADERS,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": name,
      ...(typeof session === "string" ? { "mcp-param-session": session } : {}),
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id, method },
      params: { ...params, _meta: ENVELOPE },
    }),
  };
}

/** A call of `run_python_code` of a 2026 client. */
export function postCall(code: string, id: number = 1): Post {
  const name = "run_python_code";
  const params = { name, arguments: { python_code: code } };
  return postRequest("tools/call", name, { id, ...params });
}

/** The first request of a 2025 client. */
export const INITIALIZE: Post = {
  method: "POST",
  headers: HEADERS,
  body: JSON.stringify({
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    },
  }),
};
