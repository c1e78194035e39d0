import type { Progress } from "../../protocol/progress.ts";
import { head } from "../../results/cut.ts";

const LONGEST_MESSAGE = 1010;
const LARGEST = Number.MAX_SAFE_INTEGER;

/** Reads what the code says of its progress. */
export function parseProgress(data: unknown): Progress {
  const { message, progress, total, drawn } = { ...Object(data) };
  if (typeof message !== "string") {
    throw new TypeError(`message must be a string, not ${typeof message}`);
  }
  return {
    message: toLine(head(message, LONGEST_MESSAGE)),
    ...maybe("progress", progress),
    ...maybe("total", total),
    isDrawn: drawn === true,
  };
}

function maybe<Name extends string>(
  name: Name,
  value: unknown,
): { [name in Name]?: number } {
  if (value === null || value === undefined) return {};
  const fits = typeof value === "number" && value >= 0 && value <= LARGEST;
  if (!fits) throw new RangeError(`${name} must be from 0 to 2**53 - 1`);
  return { [name]: value } as { [name in Name]: number };
}

/** Without line breaks, what moves a cursor, and halves of surrogate pairs. */
function toLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}
