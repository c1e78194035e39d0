import { maybe } from "../errors.ts";

/** As many digits as an integer beyond 2^53 has. */
const LONG = /\d{16}/;
/** A text, or an integer that may be beyond 2^53; what a reviver costs, no bridge can pay. */
const TOKENS =
  /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|(?<![\w.+-])-?\d{16,1000}(?![\w.+-])/g;

/**
 * JSON in which an integer beyond 2^53 is the text of its digits, as in the value of
 * a run: JavaScript would round it.
 */
export function toExact(json: string): string {
  if (!LONG.test(json)) return json;
  const quote = (token: string) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token))
      ? token
      : `"${token}"`;
  // A text of many MiB may be more than a pattern can match.
  return maybe(() => json.replace(TOKENS, quote)) ?? json;
}

/** The same of whole lines of a stream of events. */
export function toExactEvents(lines: string): string {
  return LONG.test(lines) ? lines.replace(/^data:.*/gm, toExact) : lines;
}
