import type { Json, RunResult, Status } from "../../../protocol/run_result.ts";
import { FIELDS, object, text } from "../../../results/fields.ts";
import type { FinishedRun } from "../../files/connection_files.ts";
import { MONTY_OBJECT, toMontyObject, toMontySchema } from "./monty_object.ts";

/** Describes the `structuredContent` of `run`. */
export const RUN_SCHEMA = {
  ...object({
    output: text("What was printed."),
    result: MONTY_OBJECT,
  }, {
    error: {
      ...object({
        type: text("Class of the exception; of a limit, the one that fits it."),
        message: text(),
        traceback: text(),
      }),
      description: "Only if the code failed; result is then None.",
    },
  }),
  $defs: { MontyObject: toMontySchema({ isOutput: true }) },
};

/** The classes of endings that are not exceptions of the code. */
const ERRORS: Record<Exclude<Status, "success" | "run-error">, string> = {
  "invalid-arguments": "InvalidArguments",
  "install-error": "ImportError",
  "timeout": "TimeoutError",
  "memory-limit": "MemoryError",
  "cancelled": "CancelledError",
  "crashed": "SystemError",
  "busy": "BusyError",
  "denied": "PermissionError",
  "session-lost": "SystemError",
};

/** Writes a result as the answer of `run`. */
export function toAnswer(
  { result: summed, whole: result = summed, isLineOpen = false }: Pick<
    FinishedRun,
    "result" | "whole" | "isLineOpen"
  >,
  /** Characters of a value that has a line for each part. */
  longest: number,
): { text: string; structured: Record<string, Json> } {
  const lines = result.output.join("\n");
  const output = result.output.length === 0 || isLineOpen
    ? lines
    : `${lines}\n`;
  const told = [
    section("files", FIELDS.files.toLines(result)),
    section("note", FIELDS.truncated.toLines(result)),
  ];
  const stdout = section("stdout", result.output);
  if (result.status === "success") {
    const value = toMontyObject(result.returnValue);
    const shown = section("result", [toPretty(value, longest)]);
    return {
      text: [stdout, shown, ...told].flat().join("\n"),
      structured: { output, result: value },
    };
  }
  const error = toError(result);
  const shown = section("exception", [error.traceback]);
  return {
    text: [stdout, shown, ...told].flat().join("\n"),
    structured: { output, result: "None", error },
  };
}

function toError(result: RunResult & { status: Exclude<Status, "success"> }) {
  const { status, error, errorType, errorMessage } = result;
  return status === "run-error"
    ? {
      type: errorType ?? "Exception",
      message: errorMessage ?? "",
      traceback: error,
    }
    : { type: ERRORS[status], message: error, traceback: error };
}

function toPretty(value: Json, longest: number): string {
  const text = JSON.stringify(value, null, 2);
  return text.length <= longest ? text : JSON.stringify(value);
}

/** A section of the text; empty without lines. */
function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`--- ${name} ---`, ...lines];
}
