import { isDeeper } from "../../protocol/depth.ts";
import { fields } from "../../protocol/fields.ts";
import type { Json } from "../../protocol/run_result.ts";
import { quote } from "../code_mode/find_downstream.ts";

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
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new TypeError(
      `Cannot call ${
        whatOf(call)
      }: its arguments must be a dict, with the names of its parameters as keys`,
    );
  }
  if (isDeeper(args, MOST_DEPTH)) {
    throw new RangeError(
      `Cannot call ${
        whatOf(call)
      }: its arguments are nested deeper than ${MOST_DEPTH}; send them as text`,
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
