import { isDeeper } from "../protocol/depth.ts";
import type { Cancelled, Ending } from "../protocol/run_messages.ts";
import type {
  Json,
  Outcome,
  RunResult,
  Truncated,
} from "../protocol/run_result.ts";
import { longestValue, NOTE_CHARS } from "../protocol/bounds.ts";
import { cutText, cutValue } from "./cut.ts";
import { toLines } from "./output.ts";

/** How a run ended, and how many characters it printed, if that is known. */
export interface Ended {
  ending: Ending | Cancelled | { status: "denied"; error: string };
  printed?: number;
  /** Characters of its error, if the sandbox has cut it already. */
  errorLength?: number;
}

/** How a run ends whose result nobody wants any more. */
export const CANCELLED: Cancelled = {
  status: "cancelled",
  error: "The call was cancelled.",
};

/** Deeper values than our own encoder makes are not from it. */
const MAX_DEPTH = 256;

/**
 * Makes the result of a run from what its sandbox said.
 *
 * @param text What was printed, as far as it was kept.
 * @param limit Characters to keep of a value or an error; null for all.
 */
export function toResult(
  { ending, printed, errorLength }: Ended,
  text: string,
  limit: number | null,
): RunResult {
  const max = limit ?? Infinity;
  const cut = printed !== undefined && printed > max;
  const truncated: Truncated = cut ? { output: printed } : {};
  const outcome = toOutcome(ending, max, truncated);
  if (errorLength !== undefined) truncated.error = errorLength;
  const output = toLines(text);
  return Object.keys(truncated).length > 0
    ? { ...outcome, output, truncated }
    : { ...outcome, output };
}

function toOutcome(
  ending: Ended["ending"],
  limit: number,
  truncated: Truncated,
): Outcome {
  if (ending.status !== "success") {
    // Cut already, by a sandbox that says the truth.
    const error = ending.error.toWellFormed();
    if (error.length <= limit + NOTE_CHARS) return { ...ending, error };
    const { text, total } = cutText(error, limit);
    if (total !== undefined) truncated.error = total;
    return { ...ending, error: text };
  }
  const parsed =
    ending.value.length <= longestValue(Number.isFinite(limit) ? limit : null)
      ? maybeParse(ending.value)
      : undefined;
  if (parsed === undefined) {
    return {
      status: "crashed",
      error: "The sandbox sent a value that is no JSON, or too large.",
    };
  }
  const { value, total } = cutValue(parsed, limit);
  if (total !== undefined) truncated.return_value = total;
  return { status: "success", returnValue: value };
}

function maybeParse(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}
