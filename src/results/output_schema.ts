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
const MEANINGS = Object.entries(STATUSES)
  .map(([status, meaning]) => `${status}: ${meaning}`).join("; ");

/** Describes the results of `toStructured`; open to keys that come later. */
export const OUTPUT_SCHEMA = object({
  status: {
    type: "string",
    enum: Object.keys(STATUSES),
    description: `How the run ended. ${MEANINGS}.`,
  },
  output: list(
    text(),
    "Lines printed to stdout and stderr, in the order written, without newlines.",
  ),
}, {
  error: text(
    "Python's traceback for run-error, else a sentence that says what happened. Only without success.",
  ),
  ...Object.fromEntries(
    Object.entries(FIELDS).map(([key, { schema }]) => [key, schema]),
  ),
});
