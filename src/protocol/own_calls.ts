/**
 * Messages of the launcher's own calls, those of `run` and of the library, by
 * direction. A frame holds each, with the number of its call.
 *
 * @module
 */
import { fields } from "./fields.ts";
import { parseOutput, parsePiece } from "./parse_run_messages.ts";
import type { Progress } from "./progress.ts";
import type { FilePiece } from "./run_files.ts";
import type { Output } from "./run_messages.ts";
import type { RunResult } from "./run_result.ts";

/** Launcher to server. */
export type ToOwnCall =
  /** A piece of a file for the working folder; all files come before `run`. */
  | FilePiece
  | {
    type: "run";
    /** Python source. */
    code: string;
    /** Names bound before the code runs: an object, as JSON text. */
    globals: string;
    timeoutMs: number;
    /** For a shell: output has no bound, and the value is left out. */
    isShell: boolean;
  }
  | { type: "cancel" };

/** Server to launcher; a call's `result` comes last. */
export type FromOwnCall =
  | Output
  | { type: "progress"; progress: Progress }
  /** A piece of a file that the run wrote. */
  | FilePiece
  | { type: "result"; result: RunResult };

/**
 * Reads a message of the server.
 *
 * @throws {TypeError} If the message is outside this protocol.
 */
export function parseFromOwnCall(data: unknown): FromOwnCall {
  const { type, progress, result } = fields(data);
  const { message } = fields(progress);
  const { status, output } = fields(result);
  if (
    type === "result" && typeof status === "string" && Array.isArray(output)
  ) {
    return data as FromOwnCall;
  }
  if (type === "progress" && typeof message === "string") {
    return data as FromOwnCall;
  }
  const parsed = type === "file" ? parsePiece(data) : parseOutput(data);
  if (parsed) return parsed;
  throw new TypeError(`The server sent "${type}" outside the protocol`);
}
