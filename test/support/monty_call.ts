import { fields } from "../../src/protocol/fields.ts";
import type { TestServer } from "./server.ts";

/** What a call of `run` came to. */
export interface Ran {
  isError: boolean;
  result: unknown;
  output: string;
  /** Of a failed run: type and message, and the text of the answer. */
  type: string;
  message: string;
  text: string;
  interpreter: unknown;
}

/** Calls `run`, the tool of the engine Monty. */
export async function callRun(
  { client }: TestServer,
  code: string,
  more: Record<string, unknown> = {},
  options: Parameters<TestServer["client"]["callTool"]>[1] = {},
): Promise<Ran> {
  const answer = await client.callTool(
    { name: "run", arguments: { code, ...more } },
    options,
  );
  const { result, output, error } = fields(answer.structuredContent);
  const { type, message } = fields(error);
  const [first] = answer.content;
  return {
    isError: answer.isError === true,
    ...{ result, output: `${output}` },
    ...{ type: `${type}`, message: `${message}` },
    text: first?.type === "text" ? first.text : "",
    interpreter: fields(answer._meta)["mcp-run-python/interpreter"],
  };
}
