import type { PythonError } from "../../protocol/answers.ts";
import type { Progress } from "../../protocol/progress.ts";
import type { Json } from "../../protocol/run_result.ts";

/** A run, as its host calls see it. */
export interface CallingRun {
  /** The client of the run: each client has its turn. */
  client?: string;
  /** Takes the progress that the code tells, a few times a second. */
  onProgress?(progress: Progress): void;
}

/** The caller of a host call. */
export interface Caller {
  run: CallingRun;
  /** Aborted when the answer is not wanted any more. */
  signal: AbortSignal;
}

/** The parts of a call. */
export interface HostCallSpec<Arguments> {
  /** Name by which Python calls it. */
  name: string;
  /**
   * Reads the arguments: data of a hostile guest.
   *
   * @throws {TypeError | RangeError} If they do not fit this call; Python gets
   * its `TypeError` or `ValueError`.
   */
  parse(data: unknown): Arguments;
  /** The sentence that names the missing grant; undefined if it is granted. */
  deny?(args: Arguments, caller: Caller): string | undefined;
  /**
   * Does it.
   *
   * @returns The value that Python gets.
   * @throws {HostCallError} The error that Python gets. Any other is our bug.
   */
  answer(args: Arguments, caller: Caller): Json | Promise<Json>;
}

/** Something that Python may call on its host. */
export interface HostCall {
  name: string;
  /**
   * Checks and does it.
   *
   * @throws {HostCallError} The error that Python gets instead of an answer.
   */
  perform(data: unknown, caller: Caller): Promise<Json>;
}

/** An exception in Python. */
export class HostCallError extends Error {
  override name = "HostCallError";

  /**
   * @param kind Python's class of it.
   * @param message A sentence that says how to do it right.
   */
  constructor(public readonly kind: PythonError, message: string) {
    super(message);
  }
}

/**
 * Makes a call from its parts.
 *
 * @example A call that is granted by an option
 * ```ts
 * import { assertEquals, assertRejects } from "../../../deps/assert.ts";
 *
 * const granted = ["TZ"];
 * const env = hostCall({
 *   name: "env",
 *   parse(data) {
 *     if (typeof data === "string") return data;
 *     throw new TypeError("env takes the name of a variable");
 *   },
 *   deny: (name) =>
 *     granted.includes(name) ? undefined : `Allow it with --allow-env ${name}.`,
 *   answer: (name) => `value of ${name}`,
 * });
 * const caller = { run: {}, signal: new AbortController().signal };
 * assertEquals(await env.perform("TZ", caller), "value of TZ");
 * await assertRejects(() => env.perform("HOME", caller), HostCallError);
 * ```
 */
export function hostCall<Arguments>(
  { name, parse, deny, answer }: HostCallSpec<Arguments>,
): HostCall {
  return {
    name,
    async perform(data, caller) {
      const args = read(parse, data);
      const denial = deny?.(args, caller);
      if (denial) throw new HostCallError("PermissionError", denial);
      return await answer(args, caller);
    },
  };
}

function read<Arguments>(
  parse: (data: unknown) => Arguments,
  data: unknown,
): Arguments {
  try {
    return parse(data);
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
