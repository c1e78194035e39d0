// MCP Apps' official client of a chat, for browsers only: no process imports it. With
// its dependencies in it, as those have all languages of zod otherwise.
export {
  App,
  applyDocumentTheme,
  applyHostFonts,
  applyHostStyleVariables,
  McpUiDisplayModeSchema,
  McpUiHostContextSchema,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-with-deps";
export type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-with-deps";
