// Messages between a program of the user and `mcp-run-python pipe`, by direction;
// each is a line of JSON. The libraries speak it, in Python and in TypeScript.
import { fields, isCount, maybeBase64 } from "./fields.ts";
import type { Progress } from "./progress.ts";
import type { RunFile } from "./run_files.ts";
import type { Stream } from "./run_messages.ts";
import type { Json, RunResult } from "./run_result.ts";

/** Program to launcher; the program chooses the numbers of calls and sessions. */
export type FromProgram =
  | PipeRun
  /** Makes a session of this number: a copy, as it is after the calls before. */
  | { type: "fork"; id: number; session: number; copy: number }
  /** Ends a session, and cancels its runs. */
  | { type: "close"; id: number; session: number }
  /** Ends the run of this number, whose result is then `cancelled`. */
  | { type: "cancel"; id: number }
  /** Raises KeyboardInterrupt in the code, which may go on. */
  | { type: "interrupt"; id: number }
  /** A call with a value of another type, as it is read here: it alone fails. */
  | { type: "wrong"; id: number; message: string };

/** Runs code in a fresh interpreter, or in a session, which its first run opens. */
export interface PipeRun {
  type: "run";
  id: number;
  code: string;
  session?: number;
  /** Names bound before the code runs. */
  globals?: Record<string, Json>;
  /** Seconds; those of the options if absent. */
  timeout?: number;
  /** To put into `/workspace`; as JSON their bytes are base64. */
  files?: RunFile[];
  /** Requirements of the code beside those of the options. */
  dependencies?: string[];
  /** Whether the result has its text for a model, too. */
  asText?: boolean;
}

/** Launcher to program. A call ends by `result`, `done` or `failed`. */
export type ToProgram =
  /** The packages are there; runs may come before it, too. */
  | { type: "ready"; version: string; python: string; packages: string[] }
  | { type: "output"; id: number; stream: Stream; text: string }
  | { type: "progress"; id: number; progress: Progress }
  /** The end of a run; as JSON, bytes of files are base64. */
  | {
    type: "result";
    id: number;
    result: RunResult;
    isLost: boolean;
    /** What the tool of MCP would say. */
    text?: string;
  }
  | { type: "done"; id: number }
  /** The call is wrong, or its server has ended; `kind` is a class of JavaScript. */
  | { type: "failed"; id: number; kind: string; message: string };

/**
 * Reads a message of a program, which is trusted as the user is.
 *
 * @throws {TypeError} If it is outside this protocol.
 */
export function parseFromProgram(text: string): FromProgram {
  const data = JSON.parse(text);
  const { type, id, session, copy } = fields(data);
  if (isCount(id)) {
    switch (type) {
      case "run": {
        const message = maybeWrong(data);
        return message === undefined
          ? { ...data, files: data.files?.map(toFile) }
          : { type: "wrong", id, message };
      }
      case "fork":
        if (isCount(session) && isCount(copy)) {
          return { type, id, session, copy };
        }
        break;
      case "close":
        if (isCount(session)) return { type, id, session };
        break;
      case "cancel":
      case "interrupt":
        return { type, id };
    }
  }
  throw new TypeError(`The program sent "${type}" outside the protocol`);
}

/** What is wrong with the values of a run, which come from the program's caller. */
function maybeWrong(data: unknown): string | undefined {
  const { code, dependencies = [], files = [] } = fields(data);
  if (typeof code !== "string") return "The code must be a text.";
  const isText = (one: unknown) => typeof one === "string";
  if (!Array.isArray(dependencies) || !dependencies.every(isText)) {
    return "Requirements must be texts.";
  }
  const isFile = (one: unknown) => isText(fields(one)["path"]);
  if (!Array.isArray(files) || !files.every(isFile)) {
    return "The paths of files must be texts.";
  }
  return undefined;
}

function toFile({ path, bytes }: { path: string; bytes: string }): RunFile {
  const decoded = maybeBase64(bytes);
  if (decoded) return { path, bytes: decoded };
  throw new TypeError(`The file "${path}" is not base64`);
}
