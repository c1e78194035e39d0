import type { Status } from "../protocol/run_result.ts";
import { FIELDS, list, object, text } from "./fields.ts";

const STATUSES: Record<Status, string> = {
  "success": "the code ran to its end",
  "run-error": "the code raised an exception or ended itself",
  "invalid-arguments": "an argument of the call is wrong; nothing ran",
  "install-error": "a dependency could not be installed; nothing ran",
  "timeout": "the code was stopped at its time limit",
  "memory-limit": "the code needed more memory than it may have",
  "cancelled": "the caller cancelled the call",
  "crashed": "the interpreter died",
  "busy": "too many calls or an install are before this call; nothing ran",
  "denied": "the code asked for packages that it may not have; nothing ran",
  "session-lost": "the session's variables and files are gone; nothing ran",
};
/** Of a run that goes on. */
const RUNNING = { running: "the code runs on; get_run with run waits for it" };

/** Describes the results of `toStructured`; open to keys that come later. */
export const toOutputSchema = (
  { longRuns }: { longRuns: boolean },
) =>
  object({
    status: toStatus(longRuns ? { ...STATUSES, ...RUNNING } : STATUSES),
    output: list(
      text(),
      "Lines printed to stdout and stderr, in the order written, without newlines.",
    ),
  }, {
    error: text(
      "Python's traceback for run-error, else a sentence that says what happened. Only without success.",
    ),
    ...longRuns ? { run: text("Handle of a run that goes on.") } : {},
    ...Object.fromEntries(
      Object.entries(FIELDS).map(([key, { schema }]) => [key, schema]),
    ),
  });

function toStatus(statuses: Record<string, string>) {
  const meanings = Object.entries(statuses)
    .map(([status, meaning]) => `${status}: ${meaning}`).join("; ");
  return {
    type: "string",
    enum: Object.keys(statuses),
    description: `How the run ended. ${meanings}.`,
  };
}
