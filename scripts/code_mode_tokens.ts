/**
 * Prints a Markdown table for docs/code_mode.md: the tokens that the tools of seven
 * real servers cost a model, and those that code mode costs instead.
 *
 * `deno run -A scripts/code_mode_tokens.ts`
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Client, StdioClientTransport } from "../deps/mcp_client.ts";
import { toStub, toToolDoc } from "../src/catalog/describe_tool.ts";
import { count } from "../src/results/cut.ts";
import { print } from "../src/log.ts";
import { VERSION } from "../src/version.ts";
import { toTable } from "../test/bench/table.ts";
import {
  readAliasedTools,
  readTools,
  RECORDED,
} from "../test/support/recorded_tools.ts";
import { openTokenizer, TOKENIZER } from "../test/support/tokenizer.ts";

/** A task: "when is that in Berlin? write it down, and commit it". */
const TASK = [
  ["time", "convert_time"],
  ["filesystem", "write_file"],
  ["git", "git_commit"],
] as const;

interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: unknown;
}

const countTokens = await openTokenizer();
const plain = RECORDED.map((server) => ({ server, tools: readTools(server) }));
const total = sum(plain.map(({ tools }) => tokensOf(tools)));
const own = tokensOf(await listOwnTools());
const wanted = TASK.map(([server, name]) => findTool(server, name));
const brief = countTokens(
  JSON.stringify(wanted.map((tool) => toToolDoc(tool.tool, tool, "summary"))),
);
const stubs = countTokens(
  wanted.map(({ tool, toolAlias }) => toStub(tool, toolAlias)).join("\n\n"),
);
const full = countTokens(
  JSON.stringify(wanted.map((tool) => toToolDoc(tool.tool, tool, "full"))),
);

print(
  toTable(["shown to a model", "tools", "tokens", "of plain calls"], [
    ...plain.map(({ server, tools }) => row(server, tools, tokensOf(tools))),
    row("all seven, as plain tool calls", plain.flatMap((s) => s.tools), total),
    row("code mode: `tools/list`", undefined, own),
    row("… and summaries of the task's tools", wanted, own + brief),
    row("… and their stubs", wanted, own + stubs),
    row("… and all that is known of them", wanted, own + full),
  ]) + `\n\nTokens of ${TOKENIZER}.\n`,
);

function row(
  name: string,
  tools: readonly unknown[] | undefined,
  tokens: number,
): string[] {
  const part = `${(100 * tokens / total).toFixed(1)} %`;
  return [name, String(tools?.length ?? ""), count(tokens), part];
}

/** A client gives a model the name, the description and the schema of each tool. */
function tokensOf(tools: readonly ListedTool[]): number {
  return sum(
    tools.map(({ name, description, inputSchema }) =>
      countTokens(JSON.stringify({ name, description, inputSchema }))
    ),
  );
}

function findTool(server: string, name: string) {
  const found = readAliasedTools(server).find(({ tool }) => tool.name === name);
  if (!found) throw new Error(`Server ${server} has no tool ${name}.`);
  const { tool, alias: toolAlias } = found;
  return { tool, toolAlias, server, serverAlias: server };
}

async function listOwnTools(): Promise<ListedTool[]> {
  const client = new Client({ name: "count-tokens", version: VERSION });
  await client.connect(
    new StdioClientTransport({
      command: Deno.execPath(),
      args: [
        ...["run", "-A", fileURLToPath(import.meta.resolve("../cli.ts"))],
        ...["stdio", "--code-mode"],
      ],
      env: Deno.env.toObject(),
      stderr: "ignore",
    }),
  );
  const { tools } = await client.listTools();
  await client.close();
  return tools;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, number) => all + number, 0);
}
