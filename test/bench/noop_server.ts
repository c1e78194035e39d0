/**
 * Baseline: an MCP server on the same SDK with one tool that does nothing.
 *
 * @module
 */
import { Server, serveStdio } from "../../deps/mcp_server.ts";

serveStdio(createServer);

function createServer(): Server {
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
