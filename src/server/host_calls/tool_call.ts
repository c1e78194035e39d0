import { sha256 } from "../../disk.ts";
import { fields, isDeeper, isObject } from "../../protocol/fields.ts";
import type { Json } from "../../protocol/run_result.ts";
import { quote } from "../code_mode/find_downstream.ts";
import { ToolCallError } from "./tool_call_error.ts";

/** A call of a tool, as Python asks for it. */
export interface ToolCall {
  server: string;
  tool: string;
  arguments: { [key: string]: Json };
}

/** Characters of a name of a server or tool. */
const LONGEST_NAME = 256;
/** Lists and objects in each other: more would fill a stack, here or beyond. */
export const MOST_DEPTH = 200;

/** Reads the arguments of `mcp_call_tool`: data of a hostile guest. */
export function parseToolCall(data: unknown): ToolCall {
  const { server, tool, arguments: args = {} } = fields(data);
  const call = {
    server: readName("server", server),
    tool: readName("tool", tool),
  };
  const what = `Cannot call ${whatOf(call)}`;
  if (!isObject(args)) {
    throw new TypeError(
      `${what}: its arguments must be a dict, with the names of its parameters as keys`,
    );
  }
  if (isDeeper(args, MOST_DEPTH)) {
    throw new RangeError(
      `${what}: its arguments are nested deeper than ${MOST_DEPTH}; send them as text`,
    );
  }
  return { ...call, arguments: args as { [key: string]: Json } };
}

/** A tool and its server, in words. */
export function whatOf({ server, tool }: Omit<ToolCall, "arguments">): string {
  return `tool ${quote(tool)} of server ${quote(server)}`;
}

function readName(what: string, name: unknown): string {
  if (typeof name !== "string" || name === "") {
    throw new TypeError(
      `Cannot call a tool: the ${what} must be the name of a ${what}, such as ${
        what === "server" ? "discovered_servers() lists" : "list_tools() lists"
      }`,
    );
  }
  if (name.length <= LONGEST_NAME) return name;
  throw new RangeError(
    `Cannot call a tool: the name of the ${what} has ${name.length} characters, and may have ${LONGEST_NAME}`,
  );
}

/** A `CallToolResult`, of which the parts that code relies on are checked. */
type ToolResult = {
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

/** SHA-256 of a value's canonical JSON: others can compute it from the value. */
export function hashOfJson(value: Json): string {
  return sha256(canonicalJson(value));
}

/**
 * JSON without spaces, the keys of an object in the order of their UTF-16 units,
 * numbers and texts as JavaScript writes them (RFC 8785).
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([key, child]) => `${JSON.stringify(key)}:${canonicalJson(child)}`);
  return `{${pairs}}`;
}
