import { maybe } from "../errors.ts";
import { isDeeper } from "../protocol/fields.ts";
import type { Cancelled, Ending } from "../protocol/run_messages.ts";
import type { RunFacts } from "../protocol/run_facts.ts";
import type { Usage } from "../protocol/sandbox_messages.ts";
import type {
  Json,
  Outcome,
  RunResult,
  Truncated,
} from "../protocol/run_result.ts";
import { longestValue, NOTE_CHARS, wholeValue } from "../protocol/bounds.ts";
import { cutText } from "./cut.ts";
import { toLines } from "./output.ts";

/** The end of a run. */
export interface Ended {
  ending: Ending | Cancelled | {
    status: "busy" | "session-lost";
    error: string;
  };
  printed?: number;
  /** Characters of the error before the sandbox cut it. */
  errorLength?: number;
  used?: Usage;
}

export const CANCELLED: Cancelled = {
  status: "cancelled",
  error: "The call was cancelled.",
};

/** Depth of a value: our own encoder makes no deeper value. */
const MAX_DEPTH = 256;

/**
 * Makes the result of a run from its end and the output that was kept. The limit
 * counts characters of an error; null is none.
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
  const result = { ...outcome, output: toLines(text) };
  return Object.keys(truncated).length > 0 ? { ...result, truncated } : result;
}

function toOutcome(
  ending: Ended["ending"],
  limit: number,
  truncated: Truncated,
): Outcome & RunFacts {
  if (ending.status !== "success") {
    const { text, total } = cutOnce(ending.error, limit);
    if (total !== undefined) truncated.error = total;
    return { ...ending, error: text };
  }
  const { value, isCut = false, shown, ...rest } = ending;
  const { length } = value;
  const most = longestValue(Number.isFinite(limit) ? limit : null);
  const returnValue = length <= most ? maybeParse(value) : undefined;
  if (returnValue === undefined) {
    return {
      status: "crashed",
      error: "The sandbox sent a value that is not JSON, or is too large.",
    };
  }
  // Python has cut it.
  if (isCut || length >= wholeValue(limit)) truncated.return_value = length;
  const result = { ...rest, returnValue };
  return shown === undefined
    ? result
    : { ...result, shown: cutOnce(shown, limit).text };
}

/** Cuts a text, unless it is short enough for a text that was cut already. */
function cutOnce(given: string, limit: number) {
  const text = given.toWellFormed();
  return text.length <= limit + NOTE_CHARS ? { text } : cutText(text, limit);
}

function maybeParse(text: string): Json | undefined {
  const value: Json | undefined = maybe(() => JSON.parse(text));
  return isDeeper(value, MAX_DEPTH) ? undefined : value;
}
