import {
  type CallToolResult,
  ProtocolError,
} from "../../../deps/mcp_server.ts";
import { cutText } from "../../results/cut.ts";
import { INTERNAL_ERROR, invalidParams } from "../error_codes.ts";
import type { LastingCall } from "../lasting/lasting_call.ts";
import { describeUnknown } from "../lasting/kept_calls.ts";
import type { OwnCalls } from "../lasting/own_calls.ts";

/** A client that waits longer learns late, and one that waits less asks in vain. */
export const POLL_MS = 1000;
/** Characters of a message about the state of a task: a traceback fits. */
const LONGEST_MESSAGE = 2000;

/** How a call does that its client follows as a task. */
export type TaskState =
  | { status: "working" | "input_required" | "cancelled" }
  | { status: "completed"; result: CallToolResult }
  | {
    status: "failed";
    error: { code: number; message: string; data?: unknown };
  };

export async function readState(call: LastingCall): Promise<TaskState> {
  if (call.isCancelled) return { status: "cancelled" };
  if (!call.isOver) return { status: readStatus(call) };
  try {
    return { status: "completed", result: await call.result };
  } catch (error) {
    return { status: "failed", error: toProtocolError(error) };
  }
}

/** The status of a call that goes on. */
export function readStatus(
  { questions }: LastingCall,
): "working" | "input_required" {
  return questions.size > 0 ? "input_required" : "working";
}

/** What tasks of both eras tell by the same keys. */
export function toFacts(
  { id, createdAt, updatedAt, message }: LastingCall,
  told: string | undefined = message,
) {
  return {
    taskId: id,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    ...told === undefined
      ? {}
      : { statusMessage: cutText(told, LONGEST_MESSAGE).text },
  };
}

/** Milliseconds as MCP wants them: a whole number above 0. */
export function toWhole(ms: number): number {
  return Math.max(1, Math.round(ms));
}

/** @throws {ProtocolError} If params name no task, or one that is not the client's. */
export async function findTask(
  own: Pick<OwnCalls, "find">,
  params: unknown,
): Promise<LastingCall> {
  const { GetTaskRequestV1Schema } = await import("../../../deps/ext_tasks.ts");
  const read = GetTaskRequestV1Schema.shape.params.safeParse(params);
  if (!read.success) throw invalidParams("taskId must be a string");
  const { taskId } = read.data;
  const call = own.find(taskId);
  if (!call) throw invalidParams(describeUnknown("task", taskId));
  return call;
}

function toProtocolError(
  error: unknown,
): { code: number; message: string; data?: unknown } {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ProtocolError)) {
    return { code: INTERNAL_ERROR, message };
  }
  const { code, data } = error;
  return { code, message, ...data === undefined ? {} : { data } };
}
