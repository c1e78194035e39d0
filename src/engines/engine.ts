/**
 * What every engine offers to the sandbox process. Pyodide is the first.
 *
 * @module
 */
import type {
  Answer,
  Call,
  Display,
  Ending,
  FileRemoved,
  RunRequest,
  Stream,
  WorkerFilePiece,
} from "../protocol/run_messages.ts";
import type { NetworkRequest } from "../protocol/http_exchange.ts";
import type { RunFile } from "../protocol/run_files.ts";

/** Makes interpreters. */
export interface Engine {
  /**
   * Makes a fresh interpreter that is ready to run.
   *
   * @param onWord Called for each thing that it says, before that is read, until
   * it is gone.
   * @throws {Error} If it cannot start; the message says why.
   */
  prepare(onWord: () => void): Promise<Interpreter>;
}

/** What comes of a run on its way; the code waits while too much is under way. */
export interface RunEvents {
  /** Takes each piece of output. */
  onOutput(stream: Stream, text: string): Promise<void>;
  /** Takes each picture. */
  onDisplay(display: Display): Promise<void>;
  /** Takes what Python calls on its host. */
  onCall(call: Call): Promise<void>;
  /** Takes a piece of a file that it wrote, or that one is gone. */
  onFile(file: WorkerFilePiece | FileRemoved): Promise<void>;
}

/** The files of a run. */
export interface FileWishes {
  /** To put into its working folder; their memory is given away. */
  files?: RunFile[];
  /** Whether what it writes there is to come back. */
  wantsFiles?: boolean;
}

/** One interpreter, for one run. An interpreter never throws: it ends. */
export interface Interpreter {
  /** Runs code to its end. */
  run(
    request: RunRequest,
    events: RunEvents,
    wishes?: FileWishes,
  ): Promise<Ending>;

  /** Hands Python the answer to a call; without a call that waits it is lost. */
  answer(answer: Answer): void;

  /** Asks the code to stop; it may not come back. */
  interrupt(): void;

  /**
   * Ends it, with all that its code has left behind.
   *
   * @returns Whether it is gone for certain: if not, this process is no place
   * for another one.
   */
  end(): Promise<boolean>;
}

/** The parts of a conversation between a worker and its process about requests. */
export interface NetworkEvents {
  /** Called for each message of the worker, before it is read. */
  onWord(): void;
  /** Called when a request was taken from the port. */
  onTaken(request: NetworkRequest): void;
}

/**
 * Sends the HTTP requests of a run, which its worker writes to a port, until it
 * is disposed of. The process that grants hosts gives it to its engine.
 */
export type ServeNetwork = (
  port: MessagePort,
  events: NetworkEvents,
) => Disposable;
