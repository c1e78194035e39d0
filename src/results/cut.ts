/** Keeps the head and the tail of a text, in whole lines where these are short. */
export function cutText(
  text: string,
  limit: number,
  /** Characters of the text before an earlier cut. */
  total: number = text.length,
): { text: string; total?: number } {
  if (text.length <= limit) return { text };
  const start = wholeLines(head(text, Math.ceil(limit / 2)));
  const end = lastLines(tail(text, limit - start.length));
  const missing = total - start.length - end.length;
  return { text: start + leftOut(missing) + end, total };
}

/** The note in the place of characters that were left out. */
export function leftOut(characters: number): string {
  return `\n… ${count(characters)} characters left out …\n`;
}

/** Whether a text has the note of `cutText()`. */
export function isCut(text: string): boolean {
  return /\n… [\d,]+ characters left out …\n/.test(text);
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

export function count(things: number): string {
  return things.toLocaleString("en-US");
}

/** A head without the start of its last line, unless that is half of it. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf("\n");
  return end < text.length / 2 ? text : text.slice(0, end);
}

/** A tail without the end of its first line, unless that is half of it. */
function lastLines(text: string): string {
  const end = text.indexOf("\n") + 1;
  return end > text.length / 2 ? text : text.slice(end);
}

function splitsPair(text: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(at - 1, at + 1));
}
