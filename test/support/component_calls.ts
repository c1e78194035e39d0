import { join } from "node:path";
import type { Client } from "../../deps/mcp_client.ts";

/** The lists of tools that a server has heard are in the folder of its state. */
export function stateIn({ path }: { path: string }): string[] {
  return ["--state-dir", join(path, "state")];
}

/** What a client gets of a component's tool. */
export interface ComponentAnswer {
  text: string;
  content: Record<string, unknown>[];
  isError: boolean;
  structured: unknown;
}

/** Calls a component's tool by the official client. */
export async function callComponentTool(
  { client }: { client: Client },
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client["callTool"]>[1] = {},
): Promise<ComponentAnswer> {
  const params = { name, arguments: args };
  const told = await client.callTool(params, { timeout: 900_000, ...options });
  const content = told.content as Record<string, unknown>[];
  return {
    text: content.map(({ text }) => text ?? "").join("\n"),
    content,
    isError: told.isError === true,
    structured: told.structuredContent,
  };
}

/** Names of the tools that a client sees of a component. */
export async function toolsOf(
  { client }: { client: Client },
  component: string,
): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name }) => name)
    .filter((name) => name.startsWith(`${component}__`)).sort();
}
