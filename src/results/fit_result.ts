import type { RunResult, Truncated } from "../protocol/run_result.ts";
import { cutText } from "./cut.ts";
import { cutValue } from "./cut_value.ts";
import { toLines } from "./output.ts";
import { toReadable } from "./fields.ts";

/**
 * Cuts a result to so many characters of text, notes aside. Output has what value
 * or error leave, and the other way round; if both are long, each has half.
 *
 * @returns The same result if it fits.
 */
export function fitResult(result: RunResult, limit: number): RunResult {
  const output = result.output.join("\n");
  const length = lengthOf(result);
  if (output.length + length <= limit) return result;
  const most = Math.max(Math.ceil(limit / 2), limit - output.length);
  const rest = limit - Math.min(length, most);
  const truncated: Truncated = { ...result.truncated };
  const cut = { ...result, truncated };
  if (output.length > rest) {
    truncated.output ??= output.length;
    cut.output = toLines(cutText(output, rest, truncated.output).text);
  }
  if (length > most) {
    if (cut.status === "success") {
      truncated.return_value ??= length;
      cut.returnValue = cutValue(cut.returnValue, most);
      if (cut.shown !== undefined) cut.shown = cutText(cut.shown, most).text;
    } else {
      truncated.error ??= length;
      cut.error = cutText(cut.error, most, truncated.error).text;
    }
  }
  return cut;
}

/** Characters of the error, or of the longer form of the value; None has none. */
function lengthOf(result: RunResult): number {
  if (result.status !== "success") return result.error.length;
  const { returnValue, shown = "" } = result;
  if (returnValue === null) return 0;
  return Math.max(toReadable(returnValue).length, shown.length);
}
