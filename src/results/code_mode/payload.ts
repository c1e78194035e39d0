import type { RunResult, Status } from "../../protocol/run_result.ts";
import { head } from "../cut.ts";
import { type Told, toTold } from "../fields.ts";
import { cutStreams, type Streams } from "./streams.ts";

/** The ways a call of `run_python` can end. */
export type PayloadStatus =
  | "success"
  | "error"
  | "timeout"
  | "validation_error";

/** A call of `run_python`, as its result tells of it. */
export interface PayloadCall {
  /** The servers that the code could call. */
  servers: readonly string[];
  timeoutSeconds: number;
  streams: Streams;
}

/** A result of `run_python`; only keys with a value are there, in this order. */
export interface Payload extends Told {
  status: PayloadStatus;
  summary: string;
  exitCode?: number;
  servers?: string[];
  stdout?: string[];
  stderr?: string[];
  error?: string;
  timeoutSeconds?: number;
}

/** Makes the payload of a result; an argument that is wrong has no call. */
export function toPayload(result: RunResult, call?: PayloadCall): Payload {
  const { stdout, stderr } = toStreams(result, call);
  const isLate = result.status === "timeout";
  const { return_value: value, ...told } = toTold(result);
  return {
    status: STATUSES[result.status],
    summary: summarize(result, [...stdout, ...stderr], call),
    ...maybe("exitCode", exitCodeOf(result)),
    ...maybe("servers", filled([...call?.servers ?? []])),
    ...maybe("stdout", filled(stdout)),
    ...maybe("stderr", filled(stderr)),
    ...maybe("error", errorOf(result)),
    ...maybe("timeoutSeconds", isLate ? call?.timeoutSeconds : undefined),
    ...maybe("return_value", value ?? undefined),
    ...told,
  };
}

const STATUSES: Record<Status, PayloadStatus> = {
  "success": "success",
  "run-error": "error",
  "memory-limit": "error",
  "crashed": "error",
  "cancelled": "error",
  "busy": "error",
  "denied": "error",
  "session-lost": "error",
  "install-error": "error",
  "timeout": "timeout",
  "invalid-arguments": "validation_error",
};

/** Of a process that would have ended in the same way. */
const EXIT_CODES: Partial<Record<Status, number>> = {
  "success": 0,
  "timeout": 124,
  "memory-limit": 137,
};

function exitCodeOf(result: RunResult): number | undefined {
  return result.status === "run-error"
    ? result.exitCode ?? 1
    : EXIT_CODES[result.status];
}

/** Output by its stream; of a result that was cut, with the room that it has. */
function toStreams(result: RunResult, call: PayloadCall | undefined): Streams {
  const { output, truncated } = result;
  const room = truncated?.output === undefined
    ? Infinity
    : output.join("\n").length;
  const given = call?.streams ?? { stdout: output, stderr: [] };
  const { stdout, stderr } = cutStreams(given, room);
  return result.status === "run-error"
    ? { stdout, stderr: [...stderr, ...result.error.split("\n")] }
    : { stdout, stderr };
}

/** Characters of an exception beside its traceback, which has all of it. */
const LONGEST_ERROR = 500;

/** Of an exception its own lines, with the hint, as `stderr` has the whole traceback. */
function errorOf(result: RunResult): string | undefined {
  if (result.status === "success") return undefined;
  if (result.status !== "run-error") return result.error;
  const { errorType, error } = result;
  const lines = error.trimEnd().split("\n");
  // Hints come after it.
  const at = errorType === undefined
    ? -1
    : lines.findLastIndex((line) => line.startsWith(errorType));
  return head(lines.slice(at).join("\n"), LONGEST_ERROR);
}

function summarize(
  result: RunResult,
  lines: string[],
  call: PayloadCall | undefined,
): string {
  switch (result.status) {
    case "success": {
      const isSilent = lines.every((line) => line.trim() === "") &&
        !result.images?.length && !result.files?.length &&
        result.returnValue === null;
      return isSilent ? "Success (no output)" : "Success";
    }
    case "run-error":
      return `Exited with code ${exitCodeOf(result)}`;
    case "timeout":
      return call ? `Timed out after ${call.timeoutSeconds} s` : "Timed out";
    default:
      return SUMMARIES[result.status];
  }
}

const SUMMARIES: Record<
  Exclude<Status, "success" | "run-error" | "timeout">,
  string
> = {
  "memory-limit": "Out of memory",
  "crashed": "The interpreter died",
  "cancelled": "Cancelled",
  "busy": "Busy: the code was not run",
  "denied": "Denied: the code was not run",
  "session-lost": "The state was lost: the code was not run",
  "install-error": "No packages: the code was not run",
  "invalid-arguments": "Wrong arguments: the code was not run",
};

function filled<T>(list: T[] | undefined): T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** The entry of a value; none if there is no value. */
function maybe<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined ? {} : { [key]: value } as { [K in Key]: Value };
}
