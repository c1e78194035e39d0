import type { RunResult, Status } from "../../protocol/run_result.ts";
import { head } from "../cut.ts";
import { type Told, toTold } from "../fields.ts";
import { cutStreams, type Streams } from "./streams.ts";

type PayloadStatus = "success" | "error" | "timeout" | "validation_error";

/** A call of `run_python`, as its result tells of it. */
export interface PayloadCall {
  servers: readonly string[];
  timeoutSeconds: number;
  /** Absent if all output is one. */
  streams?: Streams | undefined;
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
  const { return_value: value, ...told } = toTold(result);
  const [summary, status, exitCode] = ENDINGS[result.status];
  const isSilent = result.status === "success" && result.returnValue === null &&
    [...stdout, ...stderr].every((line) => line.trim() === "") &&
    !result.images?.length && !result.pages?.length &&
    !result.files?.length;
  const code = result.status === "run-error"
    ? result.exitCode ?? exitCode
    : exitCode;
  const lateAfter = status === "timeout" ? call?.timeoutSeconds : undefined;
  const more = {
    exitCode: code,
    servers: filled(call?.servers),
    stdout: filled(stdout),
    stderr: filled(stderr),
    error: errorOf(result),
    timeoutSeconds: lateAfter,
    "return_value": value ?? undefined,
  };
  const detail = isSilent
    ? " (no output)"
    : result.status === "run-error"
    ? ` ${code}`
    : lateAfter === undefined
    ? ""
    : ` after ${lateAfter} s`;
  return {
    status,
    summary: summary + detail,
    ...Object.fromEntries(
      Object.entries(more).filter(([, value]) => value !== undefined),
    ),
    ...told,
  };
}

/** How each ending is told; exit codes are those of a process that ends so. */
const ENDINGS: Record<
  Status,
  [summary: string, status: PayloadStatus, exitCode?: number]
> = {
  "success": ["Success", "success", 0],
  "run-error": ["Exited with code", "error", 1],
  "timeout": ["Timed out", "timeout", 124],
  "memory-limit": ["Out of memory", "error", 137],
  "crashed": ["The interpreter died", "error"],
  "cancelled": ["Cancelled", "error"],
  "busy": ["Busy: the code was not run", "error"],
  "denied": ["Denied: the code was not run", "error"],
  "session-lost": ["The state was lost: the code was not run", "error"],
  "install-error": ["No packages: the code was not run", "error"],
  "invalid-arguments": [
    "Wrong arguments: the code was not run",
    "validation_error",
  ],
};

function filled<T>(list: readonly T[] = []): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** Output by its stream; of a result that was cut, with the room that it has. */
function toStreams(result: RunResult, call: PayloadCall | undefined): Streams {
  const { output, truncated } = result;
  const room = truncated?.output === undefined
    ? Infinity
    : output.join("\n").length;
  const given = call?.streams ?? { stdout: output, stderr: [] };
  const { stdout, stderr } = cutStreams(given, room);
  const traceback = result.status === "run-error"
    ? result.error.split("\n")
    : [];
  return { stdout, stderr: [...stderr, ...traceback] };
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
