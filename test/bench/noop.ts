import { Server } from "../../deps/mcp_server.ts";

/** A server of MCP whose tool gives its arguments back. */
export function createNoop(): Server {
  const server = new Server(
    { name: "noop", version: "1" },
    { capabilities: { tools: {} } },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: [{ name: "noop", inputSchema: { type: "object" } }],
  }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [],
    structuredContent: params.arguments ?? {},
  }));
  return server;
}
