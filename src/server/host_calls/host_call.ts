import type { Progress, PythonError } from "../../protocol/run_messages.ts";
import type { Json } from "../../protocol/run_result.ts";
import type { CodeModeRun } from "../code_mode/code_mode_run.ts";

/** A run, as its host calls see it. */
export interface CallingRun {
  /** Names of its caller and connection, which have their turns. */
  client?: readonly string[];
  /** Takes the progress that the code tells, a few times a second. */
  onProgress?(progress: Progress): void;
  /** Undefined if it is not a run of code mode. */
  codeMode?: CodeModeRun;
  /** Has the shell that the run is for answer a call. */
  askShell?(name: string, args: Json): Promise<Json>;
}

/** The run that calls, and its wait for the answer. */
export interface Caller {
  run: CallingRun;
  /** Aborted when the answer is not wanted any more. */
  signal: AbortSignal;
}

interface HostCallSpec<Arguments> {
  name: string;
  /** Whether it bounds its time itself: it may wait for the user, too. */
  timesItself?: boolean;
  /**
   * Reads the arguments: data of a hostile guest.
   *
   * @throws {TypeError | RangeError} Python's `TypeError` or `ValueError`.
   */
  parse(data: unknown): Arguments;
  /** The sentence that names the missing grant; undefined if it is granted. */
  deny?(args: Arguments, caller: Caller): string | undefined;
  /** @throws {HostCallError} The error that Python gets; any other is our bug. */
  answer(args: Arguments, caller: Caller): Json | Promise<Json>;
}

/** Something that Python may call on its host. */
export interface HostCall {
  name: string;
  timesItself?: boolean;
  /** @throws {HostCallError} The error that Python gets instead of an answer. */
  perform(data: unknown, caller: Caller): Promise<Json>;
}

/** An exception in Python, with a sentence that says how to do it right. */
export class HostCallError extends Error {
  override name = "HostCallError";

  constructor(public readonly kind: PythonError, message: string) {
    super(message);
  }
}

/** Makes a call that answers only good arguments and if it is granted. */
export function hostCall<Arguments>(
  { name, timesItself = false, parse, deny, answer }: HostCallSpec<Arguments>,
): HostCall {
  return {
    name,
    timesItself,
    async perform(data, caller) {
      const args = read(() => parse(data));
      const denial = deny?.(args, caller);
      if (denial) throw new HostCallError("PermissionError", denial);
      return await answer(args, caller);
    },
  };
}

function read<Arguments>(parse: () => Arguments): Arguments {
  try {
    return parse();
  } catch (error) {
    if (error instanceof RangeError) {
      throw new HostCallError("ValueError", error.message);
    }
    if (error instanceof TypeError) {
      throw new HostCallError("TypeError", error.message);
    }
    throw error;
  }
}
