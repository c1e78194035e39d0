// Messages of the launcher's own calls, those of `run` and of the library, by
// direction. A frame holds each, with the number of its call.
import { fields } from "./fields.ts";
import type { Progress } from "./progress.ts";
import type { FilePiece } from "./run_files.ts";
import {
  type Answer,
  type Ask,
  type Output,
  parseRunMessage,
  type RunRequest,
} from "./run_messages.ts";
import type { RunResult } from "./run_result.ts";

/** Launcher to server. */
export type LibraryRequest =
  /** A piece of a file for the working folder; all files come before `run`. */
  | FilePiece
  | RunOrder
  | ForkOrder
  | Answer
  /** Raises KeyboardInterrupt in the code, which may go on. */
  | { type: "interrupt" }
  | { type: "cancel" }
  /** Ends the session, in which no run is under way. */
  | { type: "close"; session: number };

/** Runs code in a fresh interpreter, or in a session, which its first run opens. */
export interface RunOrder {
  type: "run";
  request: RunRequest;
  session?: number;
  /** Requirements that it needs beside those of its metadata. */
  dependencies?: string[];
  /** Asks this about the code, instead of running it; the value is the answer. */
  look?: "complete" | "is_complete";
}

/** Opens a copy of a session, in which no run is under way. */
export interface ForkOrder {
  type: "fork";
  session: number;
  /** The number of the copy. */
  copy: number;
}

/** Names that could stand at the end of a text. */
export type Completions = {
  /** The end of the text that a match replaces. */
  word: string;
  matches: string[];
};

/** Whether a prompt should run a text; an incomplete text needs another line. */
export type Completeness = "complete" | "incomplete" | "invalid";

/** Server to launcher; a call's `result` comes last. */
export type LibraryReply =
  | Output
  | { type: "progress"; progress: Progress }
  | FilePiece
  /** The code of a shell waits for the answer of this id. */
  | Ask
  | LibraryEnd;

/** The end of a run. */
export interface LibraryEnd {
  type: "result";
  result: RunResult;
  /** Whether the session of the run has lost its interpreter. */
  isLost: boolean;
}

/** @throws {TypeError} If the message is outside this protocol. */
export function parseLibraryRequest(data: unknown): LibraryRequest {
  const { type, request, session, copy, look, id, answer, dependencies } =
    fields(data);
  const { code, globals, timeoutMs } = fields(request);
  if (type === "cancel" || type === "interrupt") return { type };
  if (
    type === "answer" && typeof id === "number" && typeof answer === "string"
  ) return { type, id, answer };
  if (
    type === "run" && typeof code === "string" &&
    typeof globals === "string" && typeof timeoutMs === "number"
  ) {
    return {
      ...{ type, request: { code, globals, timeoutMs } },
      ...(typeof session === "number" ? { session } : {}),
      ...(look === "complete" || look === "is_complete" ? { look } : {}),
      ...(isTexts(dependencies) ? { dependencies } : {}),
    };
  }
  if (
    type === "fork" && typeof session === "number" && typeof copy === "number"
  ) return { type, session, copy };
  if (type === "close" && typeof session === "number") return { type, session };
  const piece = parseRunMessage(data);
  if (piece?.type === "file") return piece;
  throw refuse("launcher", type);
}

/** @throws {TypeError} If the message is outside this protocol. */
export function parseLibraryReply(data: unknown): LibraryReply {
  const { type, progress, result, isLost } = fields(data);
  const { message } = fields(progress);
  const { status, output } = fields(result);
  const isResult = typeof status === "string" && Array.isArray(output) &&
    typeof isLost === "boolean";
  if (
    type === "result" && isResult ||
    type === "progress" && typeof message === "string"
  ) return data as LibraryReply;
  const parsed = parseRunMessage(data);
  switch (parsed?.type) {
    case "output":
    case "file":
    case "ask":
      return parsed;
  }
  throw refuse("server", type);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function refuse(sender: string, type: unknown): TypeError {
  return new TypeError(`The ${sender} sent "${type}" outside the protocol`);
}
