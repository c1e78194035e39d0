import { fields } from "./fields.ts";
import type {
  Call,
  Cancelled,
  Display,
  Ending,
  FileRemoved,
  FromSandbox,
  FromWorker,
  Output,
  WorkerFilePiece,
} from "./run_messages.ts";
import { parseDisplay } from "./displays.ts";
import { type FilePiece, LONGEST_PIECE, PIECE_BYTES } from "./run_files.ts";
import { LONGEST_PATH } from "./workspace_path.ts";

/**
 * Reads one message from a sandbox process.
 *
 * Written by hand, like its sibling for workers: a schema library would make a
 * sandbox process start half as fast, and both ends read the same endings.
 *
 * @returns Undefined if it is none of this protocol.
 */
export function parseFromSandbox(data: unknown): FromSandbox | undefined {
  const { type, reason, run, ending, printed, errorLength } = fields(data);
  switch (type) {
    case "ready":
      return { type };
    case "failed":
      return typeof reason === "string" ? { type, reason } : undefined;
    case "started":
      return typeof run === "number" ? { type, run } : undefined;
    case "file":
      return parsePiece(data);
    case "done": {
      const parsed = parseEnding(ending) ?? parseCancelled(ending);
      if (typeof run !== "number" || typeof printed !== "number" || !parsed) {
        return undefined;
      }
      const done = { type, run, printed, ending: parsed };
      return typeof errorLength === "number" ? { ...done, errorLength } : done;
    }
    default:
      return parseFromRun(data);
  }
}

/**
 * Reads one message from a Python worker.
 *
 * @returns Undefined if it is none of this protocol.
 */
export function parseFromWorker(data: unknown): FromWorker | undefined {
  const { type, reason, ending } = fields(data);
  switch (type) {
    case "ready":
      return { type };
    case "broken":
      return typeof reason === "string" ? { type, reason } : undefined;
    case "file":
      return parseWorkerPiece(data);
    case "done": {
      const parsed = parseEnding(ending);
      return parsed && { type, ending: parsed };
    }
    default:
      return parseFromRun(data);
  }
}

/** Reads what a worker says in a run, and its process hands on as it is. */
function parseFromRun(
  data: unknown,
): Output | Display | Call | FileRemoved | undefined {
  const message = fields(data);
  switch (message.type) {
    case "output":
      return parseOutput(data);
    case "display":
      return parseDisplay(message);
    case "ask":
    case "notify":
      return parseCall(data);
    case "removed":
      return parseRemoved(data);
  }
}

/** Reads a piece of output. */
export function parseOutput(data: unknown): Output | undefined {
  const { stream, text } = fields(data);
  return typeof text === "string" &&
      (stream === "stdout" || stream === "stderr")
    ? { type: "output", stream, text }
    : undefined;
}

function parseCall(data: unknown): Call | undefined {
  const { type, id, name, arguments: given } = fields(data);
  if (typeof name !== "string" || typeof given !== "string") return undefined;
  switch (type) {
    case "ask":
      return typeof id === "number" && Number.isSafeInteger(id) && id >= 0
        ? { type, id, name, arguments: given }
        : undefined;
    case "notify":
      return { type, name, arguments: given };
  }
}

/** Reads a piece of a file. */
export function parsePiece(data: unknown): FilePiece | undefined {
  const { path, size, base64 } = fields(data);
  return isPath(path) && isSize(size) && typeof base64 === "string" &&
      base64.length <= LONGEST_PIECE
    ? { type: "file", path, size, base64 }
    : undefined;
}

function parseWorkerPiece(data: unknown): WorkerFilePiece | undefined {
  const { path, size, bytes } = fields(data);
  return isPath(path) && isSize(size) && bytes instanceof Uint8Array &&
      bytes.length <= PIECE_BYTES
    ? { type: "file", path, size, bytes }
    : undefined;
}

function parseRemoved(data: unknown): FileRemoved | undefined {
  const { path } = fields(data);
  return isPath(path) ? { type: "removed", path } : undefined;
}

/** Whether it may be one; who keeps it, looks closer. */
function isPath(path: unknown): path is string {
  return typeof path === "string" && path.length <= LONGEST_PATH;
}

function isSize(size: unknown): size is number {
  return typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
}

function parseEnding(data: unknown): Ending | undefined {
  const { status, value, error, exitCode } = fields(data);
  switch (status) {
    case "success":
      return typeof value === "string" ? { status, value } : undefined;
    case "run-error":
      return typeof error === "string" && typeof exitCode === "number"
        ? { status, error, exitCode: exitCode & 0xff }
        : undefined;
    case "timeout":
    case "memory-limit":
    case "crashed":
      return typeof error === "string" ? { status, error } : undefined;
  }
}

function parseCancelled(data: unknown): Cancelled | undefined {
  const { status, error } = fields(data);
  return status === "cancelled" && typeof error === "string"
    ? { status, error }
    : undefined;
}
