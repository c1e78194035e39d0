import type { PythonError } from "../../protocol/answers.ts";
import type { Progress } from "../../protocol/progress.ts";
import type { Json } from "../../protocol/run_result.ts";

/** A run, as its host calls see it. */
export interface CallingRun {
  /** Whose run it is: each client has its turn. */
  client?: string;
  /** Takes what the code says of its progress, a few times a second. */
  onProgress?(progress: Progress): void;
}

/** Who calls. */
export interface Caller {
  run: CallingRun;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/** A call, as it is written. */
export interface HostCallSpec<Arguments> {
  /** Name by which Python calls it. */
  name: string;
  /**
   * Reads the arguments: data of a hostile guest.
   *
   * @throws {TypeError | RangeError} If they are none of this call; Python gets
   * its `TypeError` or `ValueError`.
   */
  parse(data: unknown): Arguments;
  /** Says what would allow this, if it is not granted; a sentence. */
  deny?(args: Arguments, caller: Caller): string | undefined;
  /**
   * Does it.
   *
   * @returns What Python gets.
   * @throws {HostCallError} What Python gets instead. Anything else is our bug.
   */
  answer(args: Arguments, caller: Caller): Json | Promise<Json>;
}

/** Something that Python may call on its host. */
export interface HostCall {
  name: string;
  /**
   * Checks and does it.
   *
   * @throws {HostCallError} What Python gets instead of an answer.
   */
  perform(data: unknown, caller: Caller): Promise<Json>;
}

/** An exception in Python. */
export class HostCallError extends Error {
  override name = "HostCallError";

  /**
   * @param kind Python's class of it.
   * @param message A sentence that says what would be right.
   */
  constructor(public readonly kind: PythonError, message: string) {
    super(message);
  }
}

/**
 * Makes a call of what it is for.
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
