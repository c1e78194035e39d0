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

/** A call of `run_python_code` of a 2026 client. */
export function postCall(code: string, id: number = 1): {
  method: "POST";
  headers: Record<string, string>;
  body: string;
} {
  const name = "run_python_code";
  return {
    method: "POST",
    headers: {
      ...HEADERS,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: { name, arguments: { python_code: code }, _meta: ENVELOPE },
    }),
  };
}

/** The first request of a 2025 client. */
export const INITIALIZE = {
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
