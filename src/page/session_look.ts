/// <reference lib="dom" />
import { element, formatBytes, note, table } from "./elements.ts";
import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";

/** Reads what a session holds. */
export async function readLook(
  mcp: Pick<McpClient, "read">,
  handle: string,
): Promise<Fields> {
  const { text } = await mcp.read(`run-python://sessions/${handle}`);
  return fieldsOf(JSON.parse(text ?? "{}"));
}

/** The variables, modules and files of a session. */
export function showLook(look: Fields): HTMLElement[] {
  const code = (text: unknown) => element("code", {}, String(text));
  const bytes = (size: unknown) =>
    size === undefined ? "" : formatBytes(Number(size));
  const variables = listOf(look.variables).map(
    ({ name, type, repr, size }) => [
      ...[code(name), String(type), code(repr), bytes(size)],
    ],
  );
  const files = listOf(look.files)
    .map(({ path, size }) => [code(path), bytes(size)]);
  const names = modulesOf(look).join(", ");
  return [
    ...look.note === undefined ? [] : [note(look.note)],
    variables.length > 0
      ? table(["Name", "Type", "Value", "Size"], variables)
      : note("No variables yet.", "quiet"),
    ...names ? [note(`Modules: ${names}`, "quiet")] : [],
    ...files.length > 0 ? [table(["File", "Size"], files)] : [],
  ];
}

export function modulesOf(look: Fields): string[] {
  return [look.modules ?? []].flat().map(String);
}
