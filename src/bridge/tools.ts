import { type Client, ProtocolError } from "../../deps/mcp_client_core.ts";
import { type DownstreamTool, maybeTool } from "../protocol/downstream.ts";
import { TooLarge } from "./failures.ts";
import { fields, isDeeper } from "../protocol/fields.ts";
import { SERVER_NAME, WHOLE_VALUES } from "../protocol/whole_values.ts";
import { MOST_LEVELS, OUTSIDE } from "./replies.ts";

interface CallOptions {
  /** Its definition, if the server has listed it. */
  tool: DownstreamTool | string;
  /** An object, as JSON text. */
  arguments: string;
  timeoutMs: number;
  maxResult: number;
  /** Covers secrets, before an escape of JSON hides them. */
  cover(data: unknown): unknown;
  signal: AbortSignal;
}

/** Calls a tool; gives the whole result as JSON text. */
export async function callTool(
  client: Client,
  { tool, arguments: text, timeoutMs, maxResult, cover, signal }: CallOptions,
): Promise<string> {
  const name = typeof tool === "string" ? tool : tool.name;
  // Code computes with the values of another server of this program.
  const isOurs = client.getServerVersion()?.name === SERVER_NAME;
  const params = {
    ...{ name, arguments: JSON.parse(text) },
    ...(isOurs ? { _meta: { ...WHOLE_VALUES } } : {}),
  };
  const options = { timeout: timeoutMs, signal };
  const result = typeof tool !== "string" && hasHeaders(tool)
    ? await client.callTool(params, {
      ...options,
      // Without an output schema the client does not compare the result with it: a
      // server that lies about its schema has its result, too.
      toolDefinition: {
        name,
        inputSchema: { ...tool.inputSchema, type: "object" },
      },
    })
    : await client.request(
      { method: "tools/call", params },
      ANY_RESULT,
      options,
    );
  refuseDeep(result);
  const json = JSON.stringify(cover(result));
  if (json.length > maxResult) throw new TooLarge(json.length);
  return json;
}

/** Deeper data would fill the stack of whoever walks it. */
function refuseDeep(data: unknown): void {
  if (!isDeeper(data, MOST_LEVELS)) return;
  throw new ProtocolError(
    OUTSIDE,
    `its result is nested deeper than ${MOST_LEVELS} levels`,
  );
}

/** Whether the client writes arguments of the tool into headers of HTTP, too (2026-07-28). */
function hasHeaders({ inputSchema }: DownstreamTool): boolean {
  return JSON.stringify(inputSchema).includes('"x-mcp-header"');
}

/** Any result passes the client: the code that called judges it. */
export const ANY_RESULT = {
  "~standard": {
    version: 1,
    vendor: "mcp-run-python",
    validate: (value: unknown): { value: unknown } => ({ value }),
  },
} as const;

interface ListOptions {
  maxResult: number;
  timeoutMs: number;
  signal: AbortSignal;
}

const MOST_PAGES = 100;
const MOST_TOOLS = 2000;
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
      const request = { method: "tools/list", params };
      const options = { timeout: timeoutMs, signal };
      const page = await client.request(request, ANY_RESULT, options);
      refuseDeep(page);
      return page;
    } catch (error) {
      const hasNone = error instanceof ProtocolError &&
        error.code === METHOD_NOT_FOUND;
      if (hasNone) return {};
      throw error;
    }
  }
}
