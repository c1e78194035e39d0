import {
  type DownstreamTool,
  maybeTool,
} from "../../src/protocol/downstream.ts";
import { toAliases } from "../../src/catalog/identifiers.ts";

/** Real servers, whose tools `scripts/record_tools.ts` has recorded. */
export const RECORDED = [
  "everything",
  "fetch",
  "filesystem",
  "git",
  "memory",
  "sequential-thinking",
  "time",
] as const;

/** Tools that are written by hand, with schemas that are hard to read. */
export const DIFFICULT = "difficult";

/** The tools of a server in `test/fixtures/tools/`. */
export function readTools(server: string): DownstreamTool[] {
  const url = import.meta.resolve(`../fixtures/tools/${server}.json`);
  const { tools } = JSON.parse(Deno.readTextFileSync(new URL(url)));
  return tools.map((data: unknown) => {
    const tool = maybeTool(data);
    if (tool) return tool;
    throw new TypeError(`Cannot read a tool of ${server}.`);
  });
}

/** With the alias of each. */
export function readAliasedTools(
  server: string,
): { tool: DownstreamTool; alias: string }[] {
  const tools = readTools(server);
  const aliases = toAliases(tools.map(({ name }) => name));
  return tools.map((tool) => ({ tool, alias: aliases.get(tool.name) ?? "" }));
}
