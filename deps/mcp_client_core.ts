// MCP's official client without its transport of stdio, which loads Node's modules
// of processes: a bridge starts in half the time.
export {
  Client,
  ClientCredentialsProvider,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
export type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
