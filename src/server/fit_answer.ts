import type { CallToolResult, ContentBlock } from "../../deps/mcp_server.ts";
import { maybePageLink } from "../results/result_pages.ts";
import { MIB } from "../units.ts";

/** The official client takes 10 MiB, with the start of the next message. */
const LONGEST_ANSWER = 10 * MIB - 256 * 1024;

/**
 * Has links in the place of pages that do not fit the answer, and leaves out pictures
 * that do not, the last first, and says so: each part of an answer has a limit, but as
 * JSON printed text can become many times as long.
 */
export function fitAnswer(answer: CallToolResult): CallToolResult {
  const [text, ...blocks] = answer.content;
  if (!text || blocks.length === 0) return answer;
  let left = LONGEST_ANSWER - sizeOf({ ...answer, content: [text] });
  const fits = (block: ContentBlock) => {
    const size = sizeOf(block);
    if (size > left) return false;
    left -= size;
    return true;
  };
  const kept: ContentBlock[] = [];
  for (const block of blocks) {
    const one = [block, maybePageLink(block)].find((it) => it && fits(it));
    if (!one) break;
    kept.push(one);
  }
  const count = blocks.length - kept.length;
  if (count === 0) return { ...answer, content: [text, ...kept] };
  const note =
    `The last ${count} pictures or links are left out, as clients take no longer answer: print less, or show fewer.`;
  return {
    ...answer,
    content: [text, ...kept, { type: "text", text: note }],
  };
}

function sizeOf(part: object): number {
  return new TextEncoder().encode(JSON.stringify(part)).length;
}
