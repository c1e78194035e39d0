// MCP, second generation: both protocol eras from one factory.
export {
  CLIENT_INFO_META_KEY,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isSpecType,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
export type {
  CallToolResult,
  ContentBlock,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  LoggingLevel,
  Resource,
  Tool,
  Transport,
} from "@modelcontextprotocol/server";
