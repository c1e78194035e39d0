// MCP, second generation: both protocol eras from one factory.
export {
  ProtocolError,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
export type {
  CallToolResult,
  ContentBlock,
  JSONRPCMessage,
  LoggingLevel,
  Tool,
  Transport,
} from "@modelcontextprotocol/server";
