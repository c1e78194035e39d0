import { type Client, ProtocolError } from "../../deps/mcp_client_core.ts";
import { type DownstreamTool, maybeTool } from "../protocol/downstream.ts";
import { fields } from "../protocol/fields.ts";
import { ANY_RESULT } from "./any_result.ts";
import { TooLarge } from "./failures.ts";

interface ListOptions {
  maxResult: number;
  timeoutMs: number;
  signal: AbortSignal;
}

const MOST_PAGES = 100;
export const MOST_TOOLS = 2000;
const METHOD_NOT_FOUND = -32601;

/**
 * Reads all pages of a server's tools, up to a bound: pages that never end are cut.
 * Leaves out each entry that is not a tool, and a name's second tool.
 */
export async function listTools(
  client: Client,
  { maxResult, timeoutMs, signal }: ListOptions,
): Promise<DownstreamTool[]> {
  const tools = new Map<string, DownstreamTool>();
  let characters = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { tools: entries, nextCursor } = fields(await ask(cursor));
    for (const entry of Array.isArray(entries) ? entries : []) {
      const tool = maybeTool(entry);
      if (!tool || tools.has(tool.name)) continue;
      characters += JSON.stringify(tool).length;
      if (characters > maxResult) throw new TooLarge(characters);
      tools.set(tool.name, tool);
      if (tools.size === MOST_TOOLS) return [...tools.values()];
    }
    if (typeof nextCursor !== "string" || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return [...tools.values()];

  async function ask(cursor: string | undefined): Promise<unknown> {
    const params = cursor === undefined ? {} : { cursor };
    try {
      return await client.request(
        { method: "tools/list", params },
        ANY_RESULT,
        { timeout: timeoutMs, signal },
      );
    } catch (error) {
      const hasNone = error instanceof ProtocolError &&
        error.code === METHOD_NOT_FOUND;
      if (hasNone) return {};
      throw error;
    }
  }
}
