import type { Json } from "../protocol/run_result.ts";

/**
 * Up to this many times the limit, a value came whole: a guest gives up at four
 * times the limit, which can be half as many characters here.
 */
const WHOLE = 1.5;

/**
 * Keeps the head of a return value that is too long, as a string with a note.
 * The limit counts characters of a string, or of the JSON text of another value.
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
  const of = `${count(kept.length)} of ${least}${count(total)} characters`;
  const note = `[... cut after ${of}; --max-output allows more ...]`;
  return { value: `${kept}\n${note}`, total };
}

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
  const missing = `${count(characters)} characters left out`;
  return `\n[... ${missing}; --max-output allows more ...]\n`;
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
