import type { McpClient } from "./mcp_client.ts";

/** Reads a resource that is text, whichever way the server sends it. */
export async function readText(
  mcp: Pick<McpClient, "read">,
  uri: string,
): Promise<string> {
  const { text, blob } = await mcp.read(uri);
  if (blob === undefined) return text ?? "";
  return new TextDecoder().decode(Uint8Array.fromBase64(blob));
}
