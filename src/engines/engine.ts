import type {
  Answer,
  Ending,
  RunMessage,
  RunRequest,
} from "../protocol/run_messages.ts";
import type {
  CheckpointPiece,
  SaveEnd,
} from "../protocol/checkpoint_messages.ts";
import type { NetworkRequest } from "../protocol/http_exchange.ts";
import type { RunFile } from "../protocol/run_files.ts";
import type { RunSetup } from "../protocol/run_setup.ts";

/** The interface between a sandbox process and its engine; Pyodide is the first. */
export interface Engine {
  /**
   * Makes an interpreter that is ready to run: a fresh interpreter, or that of
   * a saved session.
   *
   * @param from What an interpreter of the same environment has saved: hostile.
   * @param onWord Called for each message of the interpreter, before the message
   * is read, until the interpreter is gone.
   * @throws {Error} If it cannot start; the message says why.
   */
  prepare(
    setup: RunSetup,
    onWord: () => void,
    from?: SavedInterpreter,
  ): Promise<Interpreter>;
  /** The most bytes of a checkpoint. */
  readonly mostSaved: number;
}

export interface SavedInterpreter {
  /** A checkpoint; its memory is given away. */
  bytes: Uint8Array;
  /** Whether it is a copy, whose random numbers must differ. */
  fork: boolean;
}

/** Takes a message of a run; the code waits while too much is under way. */
export type OnMessage = (message: RunMessage) => Promise<void>;

export interface Run {
  request: RunRequest;
  /** To put into the working folder; their memory is given away. */
  files?: RunFile[];
  /** Whether the files that the code writes there are to come back. */
  wantsFiles?: boolean;
}

/** An interpreter; it never throws: it ends. */
export interface Interpreter {
  /**
   * Runs code to its end. A later run, once this one has ended, finds the state
   * that this one left: variables, imports, files.
   */
  run(run: Run, onMessage: OnMessage): Promise<Ending>;
  /**
   * Saves its state; only between runs. The interpreter goes on as it was.
   *
   * @returns Undefined if it has ended instead.
   */
  save(
    take: (piece: CheckpointPiece) => Promise<void>,
  ): Promise<SaveEnd | undefined>;
  /** Hands Python the answer to a call; lost if no call waits for it. */
  answer(answer: Answer): void;
  /** Asks the code of the present run to stop; it may not come back. */
  interrupt(): void;
  /** Whether the code has not noticed the last interrupt. */
  isDeaf(): boolean;
  /**
   * Ends it, with all that its code has left behind.
   *
   * @returns Whether it is gone for certain: otherwise this process must not
   * make another interpreter.
   */
  end(): Promise<boolean>;
}

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
