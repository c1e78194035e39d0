import type { CallToolResult } from "../../../deps/mcp_server.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import type { Json } from "../../protocol/run_result.ts";
import { mimeTypeOf } from "../../results/mime_types.ts";

/** An answer as text and as structured content. */
export function toAnswer(value: Record<string, Json>): CallToolResult {
  return { ...say(JSON.stringify(value)), structuredContent: value };
}

/** The answer to a call that the tool refuses. */
export function refuse(message: string): CallToolResult {
  return { ...say(message), isError: true };
}

function say(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** The path, size and type of a file. */
export function describe({ path, bytes }: RunFile): Record<string, Json> {
  return { path, size: bytes.length, mimeType: mimeTypeOf(path) };
}
