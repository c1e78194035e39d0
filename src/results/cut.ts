import type { Json } from "../protocol/run_result.ts";

/**
 * Keeps the head of a return value that is too long.
 *
 * The total counts the value as it came. A guest that gave up early has
 * shortened the value already; the note then says "at least".
 *
 * @example A long list becomes the start of its JSON text
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * assertEquals(cutValue([1, 2, 3, 4], 4), {
 *   value: "[1,2\n[... cut after 4 of at least 9 characters; --max-output allows more ...]",
 *   total: 9,
 * });
 * ```
 *
 * @param limit Characters of its JSON text, or of the string if it is one.
 * @returns A string in place of what was cut, and how long it was.
 */
export function cutValue(
  returnValue: Json,
  limit: number,
): { value: Json; total?: number } {
  const text = typeof returnValue === "string"
    ? returnValue
    : JSON.stringify(returnValue);
  const total = text.length;
  if (total <= limit) return { value: returnValue };
  const kept = head(text, limit);
  const least = total > WHOLE * limit ? "at least " : "";
  const note = `cut after ${count(kept.length)} of ${least}${
    count(total)
  } characters; --max-output allows more`;
  return { value: `${kept}\n[... ${note} ...]`, total };
}

/**
 * Up to this many times the limit, a value came whole: a guest gives up at four
 * times the limit, which can be half as many characters here.
 */
const WHOLE = 1.5;

/** Keeps the head and the tail of a text that is longer than the limit. */
export function cutText(
  text: string,
  limit: number,
): { text: string; total?: number } {
  const total = text.length;
  if (total <= limit) return { text };
  const start = head(text, Math.ceil(limit / 2));
  const end = tail(text, limit - start.length);
  const missing = total - start.length - end.length;
  return { text: start + leftOut(missing) + end, total };
}

/** The note in the place of characters that were left out. */
export function leftOut(characters: number): string {
  return `\n[... ${
    count(characters)
  } characters left out; --max-output allows more ...]\n`;
}

/** The first characters of a text, without half of a surrogate pair. */
export function head(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}

/** The last characters of a text, without half of a surrogate pair. */
export function tail(text: string, length: number): string {
  const start = Math.max(0, text.length - length);
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}

function count(characters: number): string {
  return characters.toLocaleString("en-US");
}
