import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { Json } from "../../protocol/run_result.ts";

export function toAnswer(value: Record<string, Json>): CallToolResult {
  const text = JSON.stringify(value);
  return { content: [{ type: "text", text }], structuredContent: value };
}

export function refuse(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}
