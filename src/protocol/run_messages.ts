/**
 * Every message of a run that crosses a boundary, by direction.
 *
 * Types only, so that a worker can import this file at no cost. The guest is
 * hostile: what comes from its side is read from `unknown` (`parse.ts`), and
 * never cast.
 *
 * @module
 */

import type { FilePiece, RunFile } from "./run_files.ts";

/** One run, whatever contract it came through. */
export interface RunRequest {
  /** Python source. */
  code: string;
  /** Names bound before the code runs: an object, as JSON text. */
  globals: string;
  /** Wall time after which the code is interrupted, in milliseconds. */
  timeoutMs: number;
  /**
   * Characters of output, and of the return value, to keep; null for all that
   * is printed, and no value.
   */
  maxOutput: number | null;
  /** Packages that code may ask for, by name; `*` is any. */
  installable: string[];
  /** What it may call on its host. */
  hostCalls: CallLimits;
  /** What it may show. */
  images: ImageLimits;
  /** Variables for its environment. */
  variables?: Record<string, string>;
}

/** Bounds of the pictures that a run shows. */
export interface ImageLimits {
  /** Pictures in all. */
  count: number;
  /** Bytes of one. */
  size: number;
  /** Bytes of all together. */
  total: number;
}

/** Types that a picture may have. */
export type ImageType = "image/png" | "image/jpeg" | "image/svg+xml";

/** A picture that Python shows. */
export interface Display {
  type: "display";
  mimeType: ImageType;
  /** Text of an SVG, base64 of all else. */
  data: string;
}

/** Bounds of a run's calls to its host. */
export interface CallLimits {
  /** Calls in all. */
  count: number;
  /** Characters of JSON that the arguments of a call, or its answer, may have. */
  size: number;
  /** Time for an answer, in milliseconds. */
  timeoutMs: number;
}

/** Python asks its host, and waits for the answer with the same id. */
export interface Ask {
  type: "ask";
  id: number;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** Python tells its host; nobody answers, and only the latest of a name counts. */
export interface Notification {
  type: "notify";
  name: string;
  /** JSON text. */
  arguments: string;
}

/** What Python calls on its host. */
export type Call = Ask | Notification;

/** What the host has to say to an `Ask`; see `answers.ts`. */
export interface Answer {
  type: "answer";
  id: number;
  /** JSON text. */
  answer: string;
}

/** Which stream a piece of output was written to. */
export type Stream = "stdout" | "stderr";

/** A piece of what Python prints. */
export interface Output {
  type: "output";
  stream: Stream;
  text: string;
}

/** How the interpreter says a run ended; the value is JSON text. */
export type Ending =
  | { status: "success"; value: string }
  | { status: "run-error"; error: string; exitCode: number }
  | { status: "timeout" | "memory-limit" | "crashed"; error: string };

/** How a run ended that was cancelled. */
export interface Cancelled {
  status: "cancelled";
  error: string;
}

/** A file that was put into the working folder is no longer there. */
export interface FileRemoved {
  type: "removed";
  path: string;
}

/** A piece of a file between threads, where bytes are sent as they are. */
export type WorkerFilePiece = Omit<FilePiece, "base64"> & {
  bytes: Uint8Array;
};

/** Server to sandbox process. */
export type ToSandbox =
  /**
   * One run more of this process, by its number. The files to put in come
   * before; what it writes comes back if wanted.
   */
  | { type: "run"; id: number; request: RunRequest; wantsFiles?: boolean }
  | FilePiece
  | Answer
  /** Nobody wants the run's result any more. */
  | { type: "cancel" }
  /** The run's result is on its way: the next interpreter may be prepared. */
  | { type: "next" };

/** Sandbox process to server. */
export type FromSandbox =
  | { type: "ready" }
  | { type: "failed"; reason: string }
  /** It has taken the run of this number: what happens now is the run's doing. */
  | { type: "started"; run: number }
  | Output
  | Display
  | Call
  | FilePiece
  | FileRemoved
  /** Characters printed, and of the error before it was cut. */
  | {
    type: "done";
    /** Number of the run. */
    run: number;
    ending: Ending | Cancelled;
    printed: number;
    errorLength?: number;
  };

/** Sandbox process to its Python worker. */
export type ToWorker =
  | {
    type: "run";
    request: RunRequest;
    files?: RunFile[];
    wantsFiles?: boolean;
  }
  | Answer
  | { type: "interrupt" };

/** Python worker to its sandbox process. */
export type FromWorker =
  | { type: "ready" }
  | Output
  | Display
  | Call
  | WorkerFilePiece
  | FileRemoved
  | { type: "done"; ending: Ending }
  | { type: "broken"; reason: string };
