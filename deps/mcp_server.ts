// MCP, second generation: both protocol eras from one factory.
export {
  CLIENT_INFO_META_KEY,
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  isSpecType,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  SUBSCRIPTION_ID_META_KEY,
  TRACEPARENT_META_KEY,
  TRACESTATE_META_KEY,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
export { serveStdio } from "@modelcontextprotocol/server/stdio";
export type {
  AuthInfo,
  CallToolResult,
  ContentBlock,
  EventStore,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  LoggingLevel,
  McpHttpHandler,
  Resource,
  Tool,
  Transport,
} from "@modelcontextprotocol/server";
