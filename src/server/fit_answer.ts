import { MIB } from "../units.ts";
import type { CallToolResult } from "../../deps/mcp_server.ts";

/** The official client takes 10 MiB, with the start of the next message. */
const LONGEST_ANSWER = 10 * MIB - 256 * 1024;
const encoder = new TextEncoder();

/**
 * Leaves out pictures that do not fit the answer, the last first, and says so:
 * each part of an answer has a limit, but as JSON printed text can become many
 * times as long.
 */
export function fitAnswer(answer: CallToolResult): CallToolResult {
  const [text, ...blocks] = answer.content;
  if (!text || blocks.length === 0) return answer;
  let left = LONGEST_ANSWER - sizeOf({ ...answer, content: [text] });
  const end = blocks.findIndex((block) => (left -= sizeOf(block)) < 0);
  if (end < 0) return answer;
  const count = blocks.length - end;
  const note =
    `The last ${count} pictures or links are left out, as clients take no longer answer: print less, or show fewer.`;
  return {
    ...answer,
    content: [text, ...blocks.slice(0, end), { type: "text", text: note }],
  };
}

function sizeOf(part: object): number {
  return encoder.encode(JSON.stringify(part)).length;
}
