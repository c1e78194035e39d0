import type { FailureKind } from "../../protocol/bridge_messages.ts";
import type { PythonError } from "../../protocol/run_messages.ts";
import { head } from "../../results/cut.ts";
import { DownstreamError } from "../code_mode/hub.ts";
import { HostCallError } from "./host_call.ts";

/** The end of a call of a tool, for audit and metrics; there are few of them. */
export type CallOutcome =
  | "ok"
  /** The tool's own error, which is a result. */
  | "tool-error"
  /** Rules of the server do not allow the call. */
  | "denied"
  /** The user did not approve it. */
  | "declined"
  | `failed:${Failure}`;

type Failure =
  | FailureKind
  /** There is no such server or tool. */
  | "unknown"
  /** The result is not a result of MCP. */
  | "result"
  /** A limit of the run's, or of its client's. */
  | "limit"
  /** The run has ended. */
  | "cancelled"
  /** A fault of ours. */
  | "fault";

/** A call of a tool that has no result. */
export class ToolCallError extends HostCallError {
  override name = "ToolCallError";

  constructor(
    public readonly outcome: CallOutcome,
    kind: PythonError,
    message: string,
  ) {
    super(kind, message);
  }
}

/** The error that Python gets for an error of a call; undefined if it is a fault of ours. */
export function maybeToolCallError(
  error: unknown,
  signal: AbortSignal,
): ToolCallError | undefined {
  if (error instanceof ToolCallError) return error;
  if (signal.aborted) {
    return new ToolCallError("failed:cancelled", "RuntimeError", ENDED);
  }
  if (error instanceof DownstreamError) {
    const { kind, message } = error;
    const text = head(message, LONGEST_MESSAGE);
    return new ToolCallError(`failed:${kind}`, KINDS[kind], text);
  }
  return error instanceof HostCallError
    ? new ToolCallError("failed:limit", error.kind, error.message)
    : undefined;
}

const ENDED = "The call has ended with its run.";

/** Characters of a message, which may have the last words of a server in it. */
const LONGEST_MESSAGE = 8000;

const KINDS: Record<FailureKind, PythonError> = {
  connection: "RuntimeError",
  timeout: "TimeoutError",
  protocol: "RuntimeError",
  size: "ValueError",
};
