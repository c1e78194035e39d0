// deno-lint-ignore-file camelcase -- Python's names

import type { Json } from "../../src/protocol/run_result.ts";
import type { CodeModeStart } from "../../src/protocol/code_mode.ts";
import { CLOSED_SETUP } from "../../src/protocol/run_setup.ts";
import {
  type Ending,
  type PythonError,
  toAnswer,
  toRefusal,
} from "../../src/protocol/run_messages.ts";
import {
  type InterpreterFiles,
  startInterpreter,
} from "../../src/engines/pyodide/host.ts";
import type { SavedInterpreter } from "../../src/engines/engine.ts";

/** Arguments of a host call. */
export type Given = Record<string, Json>;

/** The answer to a host call; throws a `Refusal`. */
export type AnswerCall = (
  name: string,
  given: Given,
) => Json | undefined | Promise<Json | undefined>;

export class Refusal extends Error {
  constructor(public readonly kind: PythonError, message: string) {
    super(message);
  }
}

/** How a run ended, what it printed, and the calls that it made. */
export interface Told {
  ending: Ending;
  value: Json | undefined;
  error: string;
  stdout: string;
  stderr: string;
  calls: { name: string; given: Given }[];
}

/** A session of code mode whose host is a script. */
export async function openSession(
  files: InterpreterFiles,
  answerCall: AnswerCall = answerServers,
  { from, codeMode = true }: { from?: SavedInterpreter; codeMode?: boolean } =
    {},
) {
  const interpreter = await startInterpreter(files, {
    setup: { ...CLOSED_SETUP, codeMode },
    ...(from ? { from } : {}),
  });
  return {
    interpreter,
    /** @param servers Names of the servers that the run may call. */
    async run(
      code: string,
      servers: string[] = [],
      globals = "{}",
    ): Promise<Told> {
      const printed = { stdout: "", stderr: "" };
      const calls: Told["calls"] = [];
      const start = JSON.stringify(toStart(servers));
      const request = { code, globals, timeoutMs: Infinity };
      const ending = await interpreter.run({
        request: codeMode ? { ...request, codeMode: start } : request,
      }, async (message) => {
        if (message.type === "output") printed[message.stream] += message.text;
        if (message.type !== "ask") return;
        const given = JSON.parse(message.arguments);
        calls.push({ name: message.name, given });
        answer(message.id, message.name, given, servers);
        await Promise.resolve();
      });
      return {
        ending,
        value: ending.status === "success"
          ? JSON.parse(ending.value)
          : undefined,
        error: ending.status === "success" ? "" : ending.error,
        ...printed,
        calls,
      };
    },
    [Symbol.asyncDispose]: async () => void await interpreter.end(),
  };

  async function answer(
    id: number,
    name: string,
    given: Given,
    servers: string[],
  ) {
    try {
      const { server } = given;
      if (typeof server === "string" && !servers.includes(server)) {
        throw new Refusal(
          "PermissionError",
          `Cannot call server "${server}": this run has not loaded it. Name it in the call, servers=["${server}"].`,
        );
      }
      const value = await answerCall(name, given) ??
        await answerServers(name, given);
      if (value === undefined) throw new Refusal("PermissionError", name);
      interpreter.answer(toAnswer(id, value));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      interpreter.answer(toRefusal(id, error.kind, error.message));
    }
  }
}

function toStart(servers: string[]): CodeModeStart {
  const named = CONFIGURED.filter(({ name }) => servers.includes(name));
  return {
    ...{ servers: named, configured: CONFIGURED },
    ...{ components: [], saved: [] },
  };
}

const CONFIGURED = [
  {
    name: "time",
    alias: "time",
    description: "Time and zones",
    cwd: "/srv/time",
  },
  { name: "my-files", alias: "my_files" },
  { name: "down", alias: "down" },
];

interface Parameter {
  name: string;
  key: string;
  type: string;
  isRequired: boolean;
  default?: Json;
  description?: string;
}

function tool(
  name: string,
  parameters: Parameter[],
  more: Record<string, Json> = {},
) {
  const required = parameters.filter(({ isRequired }) => isRequired);
  return {
    name,
    alias: name.toLowerCase().replace(/\W/g, "_").replace(/^(?=\d)/, "_"),
    description: `Does ${name}`,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(parameters.map(({ key }) => [key, {}])),
      required: required.map(({ key }) => key),
    },
    doc: `Does ${name}, and says so.`,
    parameters: parameters as unknown as Json,
    returns: "dict[str, Any]",
    ...more,
  };
}

function parameter(name: string, type: string, more = {}): Parameter {
  return { name, key: name, type, isRequired: true, ...more };
}

const OPTIONAL = { isRequired: false };

/** Tools as the host tells of them, by server. */
export const TOOLS: Record<string, ReturnType<typeof tool>[]> = {
  time: [
    tool("get_current_time", [
      parameter("timezone", "str", { isRequired: false, default: "UTC" }),
    ]),
    tool("convert-time", [
      parameter("source_timezone", "str"),
      parameter("time", "str"),
      parameter("target_timezone", "str", { key: "target-timezone" }),
    ], { annotations: { readOnlyHint: true } }),
  ],
  "my-files": [
    tool("Read", [
      parameter("path", "str"),
      parameter("head", "int | None", OPTIONAL),
      parameter("mode", 'Literal["text", "bytes"]', OPTIONAL),
      parameter("lines", "list[int]", OPTIONAL),
    ]),
    tool("2d", []),
    tool("_private", []),
    tool("list_tools", []),
    tool("free", [], { input_schema: { type: "object" } }),
    tool("odd", [parameter("value", "__import__('os').system('x')")]),
  ],
};

/** Results as real servers give them. */
export function answerServers(name: string, given: Given): Json | undefined {
  const { server, tool } = given;
  switch (name) {
    case "mcp_list_tools": {
      const tools = TOOLS[String(server)];
      if (tools) return { tools };
      throw new Refusal(
        "RuntimeError",
        `Server "${server}" did not start: no such command.`,
      );
    }
    case "mcp_call_tool":
      return callTool(String(tool), given);
    case "mcp_tool_docs":
    case "mcp_search_tools":
      return {
        docs: [{ server: "time", tool: String(given.query ?? tool ?? "all") }],
        ...(name === "mcp_search_tools"
          ? { notLoaded: ["my-files"], unknown: ["down"] }
          : {}),
      };
    case "mcp_manual":
      return { text: "# The manual" };
  }
}

function callTool(tool: string, given: Given): Json {
  const now = {
    timezone: "UTC",
    datetime: "2026-11-23T07:00:00+00:00",
    is_dst: false,
  };
  switch (tool) {
    case "get_current_time":
      return {
        content: [{ type: "text", text: JSON.stringify(now, null, 2) }],
        structuredContent: now,
        isError: false,
      };
    case "Read":
      return {
        content: [
          { type: "text", text: "one" },
          { type: "image", data: "AAAA", mimeType: "image/png" },
          { type: "text", text: "two" },
        ],
      };
    case "2d":
      return {
        content: [{ type: "text", text: "There is no plane." }],
        isError: true,
      };
    default:
      return {
        content: [{ type: "text", text: JSON.stringify(given.arguments) }],
      };
  }
}
