import { type Fields, fieldsOf, listOf, type McpClient } from "./mcp_client.ts";
import { readText } from "./read_text.ts";

/** The address of a whole value, of which an answer has a part; undefined if it has all. */
export function maybeWholeUri(answer: Fields): string | undefined {
  const { truncated, files } = fieldsOf(answer.structuredContent);
  const { return_value: length, uri } = fieldsOf(truncated);
  if (length !== undefined && uri !== undefined) return String(uri);
  const ofFiles = listOf(files).map((file) => file.uri);
  const link = listOf(answer.content).find((block) =>
    block.type === "resource_link" && block.mimeType === "application/json" &&
    !ofFiles.includes(block.uri)
  );
  return link && String(link.uri);
}

/** Reads a whole value: alone, or in a whole result. */
export async function readWhole(
  mcp: Pick<McpClient, "read">,
  uri: string,
): Promise<unknown> {
  const whole: unknown = JSON.parse(await readText(mcp, uri));
  const isResult = !Array.isArray(whole) && typeof whole === "object" &&
    whole !== null && "status" in whole && "return_value" in whole;
  return isResult ? fieldsOf(whole).return_value : whole;
}
