// MCP's official client: for `example`, and for tests.
export {
  Client,
  ClientCredentialsProvider,
  StreamableHTTPClientTransport,
  type Transport,
} from "./mcp_client_core.ts";
export { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
