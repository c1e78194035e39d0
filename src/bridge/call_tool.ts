import type { Client, RequestOptions } from "../../deps/mcp_client_core.ts";
import type { DownstreamTool } from "../protocol/downstream.ts";
import { ANY_RESULT } from "./any_result.ts";
import { TooLarge } from "./failures.ts";

interface CallOptions {
  /** Its definition, if the server has listed it. */
  tool: DownstreamTool | string;
  /** An object, as JSON text. */
  arguments: string;
  timeoutMs: number;
  maxResult: number;
  signal: AbortSignal;
}

/** Calls a tool; gives the whole result as JSON text. */
export async function callTool(
  client: Client,
  { tool, arguments: text, timeoutMs, maxResult, signal }: CallOptions,
): Promise<string> {
  const definition = typeof tool === "string" ? { name: tool } : tool;
  const params = { name: definition.name, arguments: JSON.parse(text) };
  const options = { timeout: timeoutMs, signal };
  const result = hasHeaders(definition)
    ? await callWithHeaders(client, definition, params, options)
    : await client.request(
      { method: "tools/call", params },
      ANY_RESULT,
      options,
    );
  const json = JSON.stringify(result);
  if (json.length > maxResult) throw new TooLarge(json.length);
  return json;
}

/** Whether arguments of the tool go into headers of HTTP, too (2026-07-28). */
function hasHeaders(
  definition: { name: string } | DownstreamTool,
): definition is DownstreamTool {
  return "inputSchema" in definition &&
    JSON.stringify(definition.inputSchema).includes('"x-mcp-header"');
}

/**
 * Has the client write these headers. Without an output schema it does not compare
 * the result with it: a server that lies about its schema has its result, too.
 */
async function callWithHeaders(
  client: Client,
  { name, inputSchema }: DownstreamTool,
  params: { name: string; arguments: Record<string, unknown> },
  options: RequestOptions,
): Promise<unknown> {
  return await client.callTool(params, {
    ...options,
    toolDefinition: { name, inputSchema: { ...inputSchema, type: "object" } },
  });
}
