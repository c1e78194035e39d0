import type { RunResult, Truncated } from "../protocol/run_result.ts";
import { cutText } from "./cut.ts";
import { cutValue } from "./cut_value.ts";
import { toLines } from "./output.ts";
import { toReadable } from "./render.ts";

/**
 * Cuts a result to so many characters of text, notes aside. Output has what value
 * or error leave, and the other way round; if both are long, each has half.
 *
 * @returns The same result if it fits.
 */
export function fitResult(result: RunResult, limit: number): RunResult {
  const output = result.output.join("\n");
  const outcome = outcomeOf(result);
  if (output.length + outcome.length <= limit) return result;
  const most = Math.max(Math.ceil(limit / 2), limit - output.length);
  const rest = limit - Math.min(outcome.length, most);
  const truncated: Truncated = { ...result.truncated };
  const cut = { ...result, truncated };
  if (output.length > rest) {
    truncated.output ??= output.length;
    cut.output = toLines(cutText(output, rest, truncated.output).text);
  }
  if (outcome.length > most) {
    if (cut.status === "success") {
      truncated.return_value ??= outcome.length;
      cut.returnValue = cutValue(cut.returnValue, most);
    } else {
      truncated.error ??= outcome.length;
      cut.error = cutText(outcome, most, truncated.error).text;
    }
  }
  return cut;
}

/** The text of the value or the error; None has none. */
function outcomeOf(result: RunResult): string {
  if (result.status !== "success") return result.error;
  return result.returnValue === null ? "" : toReadable(result.returnValue);
}
