// deno-lint-ignore-file camelcase -- keys of the contract
import { assertEquals } from "../../deps/assert.ts";
import { type ConfiguredServer, writeServers } from "./downstream_servers.ts";
import { Client, StdioClientTransport } from "../../deps/mcp_client.ts";
import type { TestClient } from "./client.ts";
import { COMMAND_LINE } from "./command.ts";

/** The payload of an answer, with its text. */
export interface Answered {
  status: string;
  text: string;
  isError: boolean;
  stdout: string[];
  error: string;
  // deno-lint-ignore no-explicit-any -- a test says what it expects
  return_value: any;
}

/** Options of a start with these servers, which keeps its state in the folder. */
export async function withServers(
  folder: string,
  servers: Record<string, ConfiguredServer>,
): Promise<string[]> {
  const file = await writeServers(folder, servers);
  return ["--mcp-config", file, "--state-dir", `${folder}/state`];
}

/** Calls `run_python`. */
export async function runCode(
  { client }: Pick<TestClient, "client">,
  code: string,
  args: Record<string, unknown> = {},
): Promise<Answered> {
  const { content, structuredContent, isError } = await client.callTool({
    ...{ name: "run_python", arguments: { code, ...args } },
  });
  const [first] = content;
  const text = first?.type === "text" ? first.text : "";
  return { text, isError: isError === true, ...Object(structuredContent) };
}

/** The value of code that succeeds. */
export async function valueOfCode(
  server: Pick<TestClient, "client">,
  code: string,
  servers: string[] = [],
): Promise<unknown> {
  const answer = await runCode(server, code, { servers });
  assertEquals(answer.status, "success", answer.text);
  return answer.return_value;
}

/** A server over stdio whose user agrees to all that is asked. */
export async function startAgreed(
  options: string[],
): Promise<Pick<TestClient, "client"> & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" }, {
    capabilities: { elicitation: { form: {} } },
  });
  client.setRequestHandler("elicitation/create", () => ({
    ...{ action: "accept", content: {} },
  }));
  const [command = "", ...args] = [...COMMAND_LINE, ...options, "stdio"];
  const env = Deno.env.toObject();
  await client.connect(new StdioClientTransport({ command, args, env }));
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
