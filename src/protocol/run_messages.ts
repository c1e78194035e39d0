// Every message of a run, with the row that reads it. A run message has the same
// form on its whole way, from the worker to the server. The guest is hostile: each process reads the messages of the next one
// from `unknown`. Workers import the types alone, which cost nothing.
import { type Display, parseDisplay } from "./displays.ts";
import { fields, isBytes, isCount } from "./fields.ts";
import { type FilePiece, PIECE_BYTES } from "./run_files.ts";
import { LONGEST_PATH } from "./workspace_path.ts";

export interface RunRequest {
  /** Python source. */
  code: string;
  /** Names bound before the code runs: an object, as JSON text. */
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

/** The host's answer to an `Ask`; see `answers.ts`. */
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
  | {
    status: "success";
    /** JSON text. */
    value: string;
    /** A table as Python prints it; undefined for other values. */
    shown?: string;
  }
  | { status: "run-error"; error: string; exitCode: number } & Raised
  | { status: "timeout" | "memory-limit" | "crashed"; error: string };

/** The exception that ended the code; absent if none did. */
export interface Raised {
  /** Its class, with the module unless that is Python's own or the code's. */
  errorType?: string;
  /** Its message, cut to {@linkcode LONGEST_MESSAGE} characters. */
  errorMessage?: string;
}

export interface Cancelled {
  status: "cancelled";
  error: string;
}

/**
 * Reads a message of a run; undefined if the data is not one. Written by hand: with
 * a schema library, a sandbox process would start half as fast.
 */
export function parseRunMessage(data: unknown): RunMessage | undefined {
  const message = fields(data);
  const { type, stream, text, id, name, arguments: given, path, size } =
    message;
  switch (type) {
    case "output":
      return typeof text === "string" &&
          (stream === "stdout" || stream === "stderr")
        ? { type, stream, text }
        : undefined;
    case "display":
      return parseDisplay(message);
    case "ask":
    case "notify":
      if (typeof name !== "string" || typeof given !== "string") return;
      if (type === "notify") return { type, name, arguments: given };
      return isCount(id) ? { type, id, name, arguments: given } : undefined;
    case "file": {
      const bytes = maybeBytes(message.bytes);
      return isPath(path) && isCount(size) && bytes
        ? { type, path, size, bytes }
        : undefined;
    }
    case "removed":
      return isPath(path) ? { type, path } : undefined;
  }
}

/** The bytes of a piece. */
export function maybeBytes(data: unknown): Uint8Array<ArrayBuffer> | undefined {
  return isBytes(data) && data.length <= PIECE_BYTES ? data : undefined;
}

/** Whether a text may be a path; `RunBounds` looks closer. */
function isPath(path: unknown): path is string {
  return typeof path === "string" && path.length <= LONGEST_PATH;
}

/** Reads how an interpreter says that a run ended; undefined if it does not. */
export function parseEnding(data: unknown): Ending | undefined {
  const { status, value, shown, error, exitCode } = fields(data);
  switch (status) {
    case "success":
      if (typeof value !== "string") return undefined;
      return typeof shown === "string"
        ? { status, value, shown }
        : { status, value };
    case "run-error":
      return typeof error === "string" && typeof exitCode === "number"
        ? { status, error, exitCode: exitCode & 0xff, ...parseRaised(data) }
        : undefined;
    case "timeout":
    case "memory-limit":
    case "crashed":
      return typeof error === "string" ? { status, error } : undefined;
  }
}

function parseRaised(data: unknown): Raised {
  const { errorType, errorMessage } = fields(data);
  if (typeof errorType !== "string" || typeof errorMessage !== "string") {
    return {};
  }
  return {
    errorType: errorType.slice(0, LONGEST_NAME).toWellFormed(),
    errorMessage: errorMessage.slice(0, LONGEST_MESSAGE).toWellFormed(),
  };
}

/** Characters of an exception's own message; `error` has the traceback. */
export const LONGEST_MESSAGE = 4000;
/** Characters of the name of its class. */
const LONGEST_NAME = 200;

/** Writes a message as JSON; its bytes become base64. */
export function encodeMessage(message: unknown): string {
  return JSON.stringify(
    message,
    (_key, value) => value instanceof Uint8Array ? value.toBase64() : value,
  );
}
