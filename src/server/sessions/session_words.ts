// The words in which callers are told of sessions.
import type { RunResult } from "../../protocol/run_result.ts";
import { head } from "../../results/cut.ts";
import { refusal } from "../pool/pool.ts";
import type { SessionLife } from "./kept_session.ts";
import type { Elsewhere } from "./leases.ts";

/** Tells the caller of a session that another server has it. */
export function refuseElsewhere(
  handle: string,
  { elsewhere, seconds }: Elsewhere,
): RunResult {
  return refusal(
    "busy",
    `Cannot go on with session ${handle} here now: ${elsewhere}. Try again in about ${seconds} s.`,
  );
}

/** Says that a session goes on from its stored state. */
export function describeOlder(at: number): string {
  const seconds = Math.max(0, Math.round((Date.now() - at) / 1000));
  return `The session goes on from its state of ${seconds} s ago: the changes since are lost.`;
}

/** Says that a session starts from nothing, though runs came before. */
export function describeAnew(reason: string): string {
  return `The session starts from nothing, as its earlier state is gone: ${reason}.`;
}

/** Says that a call names no session of its client. */
export function describeUnknown(
  handle: string | undefined,
  { codeMode }: { codeMode?: boolean },
): string {
  if (handle === undefined) {
    return "There is no default session: name a session.";
  }
  const list = codeMode ? "" : "list_sessions shows those that there are; ";
  return isHandle(handle)
    ? `There is no session "${handle}" any more, or it is another client's. The code was not run. ${list}session "new" opens another.`
    : `There is no session "${
      head(handle, 100)
    }", which is not the handle of any. ${list}session "new" opens another.`;
}

/**
 * A result with what has become of the session's state, where that is not clear.
 *
 * @param next.resumes The time of the stored state that the next call goes on from.
 * @param next.isAnew Whether the next call starts from nothing.
 */
export function describeState(
  result: RunResult,
  life: SessionLife,
  { resumes, isAnew }: { resumes: number | undefined; isAnew: boolean },
): RunResult {
  const { status } = result;
  const isLost = life.lost !== undefined;
  // These say it by themselves, or leave no doubt.
  if (status === "success" || status === "session-lost") return result;
  if (!isLost && !["timeout", "cancelled", "memory-limit"].includes(status)) {
    return result;
  }
  const state = resumes !== undefined
    ? describeOlder(resumes)
    : isLost
    ? `The session's state is gone: its variables, imports and files.${
      isAnew ? " Its next call starts from nothing." : ""
    }`
    : `The session goes on: its variables and files are as the code left them.${
      status === "memory-limit" ? " Delete those that are large." : ""
    }`;
  return { ...result, error: `${result.error} ${state}` };
}

/** Why a session leaves this server. */
export const MOVED = "another server has a call for it";

/** Whether a text has the form of a session's handle. */
function isHandle(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A handle that was a session's, here or elsewhere, is not a mistake of the caller. */
export function statusOfUnknown(
  handle: string | undefined,
): "session-lost" | "invalid-arguments" {
  return handle !== undefined && isHandle(handle)
    ? "session-lost"
    : "invalid-arguments";
}

/** The call names a session, and another engine than that of sessions. */
export const sessionsAreOf = (label: string): string =>
  `Cannot run on this engine in a session as sessions are of ${label}. Leave session out, for a fresh interpreter, or engine.`;
