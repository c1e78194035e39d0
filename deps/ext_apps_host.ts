// The chat's side of MCP Apps, for tests: the official host.
export {
  AppBridge,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";
