// MCP's official client: for `example`, and for tests.
export {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export type { Transport } from "@modelcontextprotocol/client";
export { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
