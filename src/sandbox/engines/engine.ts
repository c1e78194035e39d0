/**
 * What every engine offers to the sandbox process. Pyodide is the first.
 *
 * @module
 */
import type { Ending, RunRequest, Stream } from "../../protocol/messages.ts";

/** Makes interpreters. */
export interface Engine {
  /**
   * Makes a fresh interpreter that is ready to run.
   *
   * @throws {Error} If it cannot start; the message says why.
   */
  prepare(): Promise<Interpreter>;
}

/** One interpreter, for one run. An interpreter never throws: it ends. */
export interface Interpreter {
  /**
   * Runs code to its end.
   *
   * @param onOutput Takes each piece of output; the code waits while too much
   * of it is under way.
   */
  run(
    request: RunRequest,
    onOutput: (stream: Stream, text: string) => Promise<void>,
  ): Promise<Ending>;

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
