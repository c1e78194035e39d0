import { maybe } from "../errors.ts";
import { fields } from "../protocol/fields.ts";

/** As many digits as an integer beyond 2^53 has. */
const LONG = /\d{16}/;

/**
 * Reads JSON. An integer beyond 2^53 becomes the text of its digits, as in the value
 * of a run: JavaScript would round it.
 */
export function parseExact(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** JSON text, or whole lines of a stream of events, in which that is done. */
export function toExact(text: string): string {
  if (!LONG.test(text)) return text;
  return maybeExact(text) ??
    text.replace(/^(data:)([^\r\n]+)/gm, (line, start, json) => {
      const exact = maybeExact(json);
      return exact === undefined ? line : start + exact;
    });
}

function maybeExact(json: string): string | undefined {
  return maybe(() => JSON.stringify(parseExact(json)));
}

function keepDigits(...[, value, context]: unknown[]): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const { source } = fields(context);
  return /^-?\d+$/.test(String(source)) ? source : value;
}
