import { isDeeper } from "../../protocol/depth.ts";
import type { Json } from "../../protocol/run_result.ts";
import { MOST_DEPTH } from "./tool_call.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** A `CallToolResult`, of which the parts that code relies on are checked. */
export type ToolResult = {
  content: { [key: string]: Json }[];
  structuredContent?: { [key: string]: Json };
  isError?: boolean;
  [key: string]: Json;
};

/**
 * Reads the result of a tool: data of a server that may lie.
 *
 * @param what The tool and its server, in words.
 * @throws {ToolCallError} If it is not a result.
 */
export function parseToolResult(text: string, what: string): ToolResult {
  const data = readJson(text);
  const wrong = findFault(data);
  if (wrong === undefined) {
    const { content = [], ...rest } = data as Partial<ToolResult>;
    return { content, ...rest };
  }
  throw new ToolCallError(
    "failed:result",
    "RuntimeError",
    `Cannot use the result of ${what}: ${wrong}. The server does not speak MCP as it should.`,
  );
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function findFault(data: unknown): string | undefined {
  if (!isObject(data)) return "it is not an object";
  if (isDeeper(data, MOST_DEPTH)) {
    return `it is nested deeper than ${MOST_DEPTH}`;
  }
  // Its keys are those of a server: `get()` finds none of a prototype.
  const get = new Map(Object.entries(data));
  const content = get.has("content") ? get.get("content") : [];
  if (!Array.isArray(content)) return "its content is not a list";
  if (!content.every(isBlock)) {
    return "its content has an item that is not an object with a type";
  }
  if (get.has("structuredContent") && !isObject(get.get("structuredContent"))) {
    return "its structuredContent is not an object";
  }
  if (get.has("isError") && typeof get.get("isError") !== "boolean") {
    return "its isError is neither true nor false";
  }
}

function isBlock(data: unknown): boolean {
  return isObject(data) && Object.hasOwn(data, "type") &&
    typeof Reflect.get(data, "type") === "string";
}

function isObject(data: unknown): data is object {
  return typeof data === "object" && data !== null && !Array.isArray(data);
}
