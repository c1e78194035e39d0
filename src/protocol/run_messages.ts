// Every message of a run, with the row that reads it. A run message has the same
// form on its whole way, from the worker to the server. The guest is hostile: each process reads the messages of the next one
// from `unknown`. Workers import the types alone, which cost nothing.
import { type Display, parseDisplay } from "./displays.ts";
import { fields, is, isBytes, readForm, readMessage } from "./fields.ts";
import { type FilePiece, PIECE_BYTES } from "./run_files.ts";
import { readFacts, type RunFacts } from "./run_facts.ts";
import type { Json } from "./run_result.ts";
import { LONGEST_PATH } from "./workspace_path.ts";

export interface RunRequest {
  /** Python source. */
  code: string;
  /** Names bound before the code runs: an object, as JSON text; see `own`. */
  globals: string;
  /** Name of the engine; if absent, the server's own. */
  engine?: string;
  /** Wall time after which the code is interrupted, in milliseconds. */
  timeoutMs: number;
  /**
   * Asks the interpreter of a session this instead of running code, which is then
   * the question's arguments as JSON text; the value is the answer.
   */
  look?: Look;
  /** The facts of a run of code mode: a `CodeModeStart`, as JSON text. */
  codeMode?: string;
  /**
   * Terms of the run in the form of its engine, as JSON text: `globals` and the value are in
   * the engine's own form then, too. Absent for plain JSON.
   */
  own?: string;
}

export type Look =
  | "variables"
  | "files"
  | "read_file"
  | "write_files"
  | "complete"
  | "is_complete";

export type RunMessage = Output | Display | Call | FilePiece | FileRemoved;

/** Which stream a piece of output was written to. */
export type Stream = "stdout" | "stderr";

export interface Output {
  type: "output";
  stream: Stream;
  text: string;
}

/** Python asks its host, and waits for the answer with the same id. */
export interface Ask {
  type: "ask";
  id: number;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** Python tells its host without an answer; only the latest of a name counts. */
export interface Notification {
  type: "notify";
  name: string;
  /** JSON text. */
  arguments: string;
}

export type Call = Ask | Notification;

/** The host's answer to an `Ask`, which `runner/host_calls.py` reads. */
export interface Answer {
  type: "answer";
  id: number;
  /** JSON text. */
  answer: string;
}

/** A file that was put into the working folder is no longer there. */
export interface FileRemoved {
  type: "removed";
  path: string;
}

/** The end of a run as its interpreter tells it. */
export type Ending =
  & RunFacts
  & ({
    status: "success";
    /** JSON text. */
    value: string;
    /** Whether rows of a table are not in the value; a value that is too long is cut, too. */
    isCut?: boolean;
    /** A table as Python prints it; undefined for other values. */
    shown?: string;
    /** JSON text that sums up a large value; undefined for other values. */
    summary?: string;
  } | {
    status: "run-error" | "timeout" | "memory-limit" | "crashed";
    error: string;
    /** Whether the interpreter has memory to go on with, after `memory-limit`. */
    goesOn?: boolean;
  });

export interface Cancelled extends RunFacts {
  status: "cancelled";
  error: string;
}

/** The bytes of a piece. */
export function isPiece(data: unknown): data is Uint8Array<ArrayBuffer> {
  return isBytes(data) && data.length <= PIECE_BYTES;
}

/** Whether a text may be a path; `RunBounds` looks closer. */
function isPath(path: unknown): path is string {
  return is.text(path) && path.length <= LONGEST_PATH;
}

const FORMS = {
  output: { stream: is.oneOf("stdout", "stderr"), text: is.text },
  ask: { id: is.count, name: is.text, arguments: is.text },
  notify: { name: is.text, arguments: is.text },
  file: { path: isPath, size: is.count, bytes: isPiece },
  removed: { path: isPath },
};

/**
 * Reads a message of a run; undefined if the data is not one. Written by hand: with
 * a schema library, a sandbox process would start half as fast.
 */
export function parseRunMessage(data: unknown): RunMessage | undefined {
  const message = fields(data);
  return message.type === "display"
    ? parseDisplay(message)
    : readMessage(message, FORMS);
}

const SUCCESS = { status: is.oneOf("success"), value: is.text };
const isFlag = is.oneOf(true, false);
const FAILED = {
  status: is.oneOf("run-error", "timeout", "memory-limit", "crashed"),
  error: is.text,
};

/** Reads how an interpreter says that a run ended; undefined if it does not. */
export function parseEnding(data: unknown): Ending | undefined {
  const ending = readForm(data, SUCCESS, {
    isCut: isFlag,
    shown: is.text,
    summary: is.text,
  }) ??
    readForm(data, FAILED, { goesOn: isFlag });
  return ending && { ...ending, ...readFacts(data) };
}

/** Writes a message as JSON; its bytes become base64. */
export function encodeMessage(message: unknown): string {
  return JSON.stringify(
    message,
    (_key, value) => value instanceof Uint8Array ? value.toBase64() : value,
  );
}

/** Python's exceptions that a call to the host may raise. */
export type PythonError =
  | "PermissionError"
  | "RuntimeError"
  | "TimeoutError"
  | "TypeError"
  | "ValueError";

export function toAnswer(id: number, value: Json): Answer {
  return { type: "answer", id, answer: JSON.stringify({ value }) };
}

export function toRefusal(
  id: number,
  error: PythonError,
  message: string,
): Answer {
  return { type: "answer", id, answer: JSON.stringify({ error, message }) };
}

/** How far a request is. */
export interface ProgressStep {
  /** One line. */
  message: string;
  /** How much is done; absent if work only goes on. */
  progress?: number;
  /** How much there is to do. */
  total?: number;
}

/** How far a run is, as its code says. */
export interface Progress extends ProgressStep {
  /** Whether the code shows it on its stderr already, as a bar does. */
  isDrawn: boolean;
}
