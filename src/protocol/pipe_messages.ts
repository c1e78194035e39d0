// Lines of JSON between programs and the server, by direction; the launcher passes
// them unread. `pipe`, `run`, `repl` and both libraries speak them.
import { fields, is, maybeBase64, readMessage } from "./fields.ts";
import type { FilePiece } from "./run_files.ts";
import type { Progress, Stream } from "./run_messages.ts";
import type { Json, RunResult } from "./run_result.ts";

/** Program to server; the program chooses the numbers of calls and sessions. */
export type FromProgram =
  /** A piece of a file for the working folder of a run; all come before the run. */
  | FilePiece & { id: number }
  | ProgramRun
  /** Asks about code for a session, which may open now. */
  | { type: "look"; id: number; session: number; look: ShellLook; text: string }
  /** Makes a session of this number: a copy, as it is after the calls before. */
  | { type: "fork"; id: number; session: number; copy: number }
  /** Ends a session, and cancels its runs. */
  | { type: "close"; id: number; session: number }
  /** Ends the run of this number, whose result is then `cancelled`. */
  | { type: "cancel"; id: number }
  /** Raises KeyboardInterrupt in the code, which may go on. */
  | { type: "interrupt"; id: number }
  /** The answer to an `ask` of a run. */
  | { type: "answer"; id: number; ask: number; answer: string }
  /** A call with a value of another type, as it is read here: it alone fails. */
  | { type: "wrong"; id: number; message: string }
  /** The same, of a file: its run comes. */
  | { type: "wrong-file"; id: number; message: string };

/** Runs code in a fresh interpreter, or in a session, which its first run opens. */
export interface ProgramRun {
  type: "run";
  id: number;
  code: string;
  session?: number | undefined;
  /** Name of an engine; the first of the options if absent. */
  engine?: string | undefined;
  /** Names bound before the code runs. */
  globals?: Record<string, Json> | undefined;
  /** Seconds; those of the options if absent. */
  timeout?: number | undefined;
  /** Requirements of the code beside those of the options. */
  dependencies?: string[] | undefined;
  /** Whether the result has its text for a model, too. */
  asText?: boolean | undefined;
}

/** A question of a prompt about the text that is typed. */
export type ShellLook = "complete" | "is_complete";

/** Names that could stand at the end of a text. */
export type Completions = {
  /** The end of the text that a match replaces. */
  word: string;
  matches: string[];
};

/** Whether a prompt should run a text; an incomplete text needs another line. */
export type Completeness = "complete" | "incomplete" | "invalid";

/** Server to program. A call ends by `result`, `done` or `failed`. */
export type ToProgram =
  /** The packages are there; runs may come before it, too. */
  | { type: "ready"; version: string; python: string; packages: string[] }
  | { type: "output"; id: number; stream: Stream; text: string }
  | { type: "progress"; id: number; progress: Progress }
  /** A piece of a file that a run has written; all come before the result. */
  | FilePiece & { id: number }
  /** The code of a shell waits for the answer. */
  | { type: "ask"; id: number; ask: number; name: string; arguments: string }
  | CallEnd;

export type CallEnd =
  | ProgramResult
  | { type: "done"; id: number }
  /** The call is wrong; `kind` is a class of JavaScript. */
  | { type: "failed"; id: number; kind: string; message: string };

/** The end of a run, or the answer to a look, without the files. */
export interface ProgramResult {
  type: "result";
  id: number;
  result: RunResult;
  /** Whether the session of the run has lost its interpreter. */
  isLost: boolean;
  /** What the tool of MCP would say. */
  text?: string;
}

const FORMS = {
  look: {
    id: is.count,
    session: is.count,
    look: is.oneOf("complete", "is_complete"),
    text: is.text,
  },
  fork: { id: is.count, session: is.count, copy: is.count },
  close: { id: is.count, session: is.count },
  cancel: { id: is.count },
  interrupt: { id: is.count },
  answer: { id: is.count, ask: is.count, answer: is.text },
};

/**
 * Reads a line of a program, which is trusted as the user is.
 *
 * @throws {TypeError | SyntaxError} If it is outside this protocol.
 */
export function parseFromProgram(text: string): FromProgram {
  const data = JSON.parse(text);
  const { type, id, path, size, bytes } = fields(data);
  if (type === "file" && is.count(id)) {
    const part = is.text(bytes) ? maybeBase64(bytes) : undefined;
    if (is.text(path) && part && is.count(size)) {
      return { type, id, path, size, bytes: part };
    }
    const message = is.text(path)
      ? `The file "${path}" is not base64 in pieces.`
      : "The paths of files must be texts.";
    return { type: "wrong-file", id, message };
  }
  if (type === "run" && is.count(id)) {
    const message = maybeWrong(data);
    return message === undefined ? data : { type: "wrong", id, message };
  }
  const message = readMessage(data, FORMS);
  if (message) return message;
  throw new TypeError(`The program sent "${type}" outside the protocol`);
}

/** What is wrong with the values of a run, which come from the program's caller. */
function maybeWrong(data: unknown): string | undefined {
  const { code, session, engine, dependencies = [] } = fields(data);
  if (!is.text(code)) return "The code must be a text.";
  if (session !== undefined && !is.count(session)) {
    return "The session must be a number.";
  }
  if (engine !== undefined && !is.text(engine)) {
    return "The engine must be a text.";
  }
  return is.list(dependencies) && dependencies.every(is.text)
    ? undefined
    : "Requirements must be texts.";
}
