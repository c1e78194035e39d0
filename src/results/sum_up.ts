import { maybe } from "../errors.ts";
import { LONGEST_PLAIN, LONGEST_SUMMARY } from "../protocol/bounds.ts";
import { isDeeper } from "../protocol/fields.ts";
import type { Json, RunResult } from "../protocol/run_result.ts";
import { cutText } from "./cut.ts";
import { cutValue } from "./cut_value.ts";
import { toPlainSummary } from "./plain_summary.ts";

/** Depth of a summary: our own is less deep. */
const MAX_DEPTH = 32;

/**
 * Puts a summary in the place of a value that has more than 4,000 characters as JSON;
 * the text of a result keeps all of a text. Python's summary knows types and shapes;
 * without one, or with one that is not good, those of JSON count.
 *
 * @returns The same result if its value is not large.
 */
export function sumUp(result: RunResult): RunResult {
  if (result.status !== "success") return result;
  const { returnValue: value, summary = "" } = result;
  const { length } = typeof value === "string" ? value : JSON.stringify(value);
  if (length <= LONGEST_PLAIN) return result;
  const truncated = { "return_value": length, ...result.truncated };
  if (typeof value === "string") {
    const { text } = cutText(value, LONGEST_PLAIN);
    return { ...result, truncated, returnValue: text, shown: value };
  }
  const short = maybeParse(summary) ?? toPlainSummary(value);
  const returnValue = cutValue(short, LONGEST_PLAIN);
  return { ...result, truncated, returnValue };
}

/** A summary comes from a hostile guest. */
function maybeParse(text: string): Json | undefined {
  if (text === "" || text.length > LONGEST_SUMMARY) return undefined;
  const summary: Json | undefined = maybe(() => JSON.parse(text));
  return isDeeper(summary, MAX_DEPTH) ? undefined : summary;
}
