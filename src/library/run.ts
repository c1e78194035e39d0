import { isOverWithin } from "../deadline.ts";
import type { Stream } from "../protocol/run_messages.ts";
import type { Status } from "../protocol/run_result.ts";
import { Printed } from "./printed.ts";
import type { Result } from "./results.ts";

/** A run that goes on by itself, until its end or that of its sandbox. */
export interface Run {
  /** How it has ended; `failed` if `result()` throws. */
  readonly status: Status | "running" | "failed";
  /**
   * Waits for the end, as often as you like; a result stays after `close()`, too.
   *
   * @throws As `run()` without `wait` would; and SandboxError if the sandbox was
   * closed before the end, unless other sandboxes share its process: then the status
   * is `cancelled`.
   */
  result(): Promise<Result>;
  /**
   * Ends the run, whose result is then `cancelled`, and waits for its end; does
   * nothing after that.
   */
  cancel(): Promise<void>;
  /**
   * Gives the lines that it prints, each time from the first, up to its end: each as
   * it ends, those of stdout and stderr apart.
   */
  output(): AsyncGenerator<string, void, undefined>;
}

/** The part of a call by which it follows its run. */
export interface Following {
  signal?: AbortSignal;
  onOutput?(stream: Stream, text: string): void | Promise<void>;
}

/** Time that a run can take. */
const LONGEST_WAIT = 86_400;

/** @throws {TypeError | RangeError} If it is not a time that a caller can wait. */
export function checkWait(wait: unknown): asserts wait is number {
  const remedy =
    "0 does not wait for the end of the run, and without wait all of it is awaited";
  if (typeof wait !== "number") {
    throw new TypeError(
      `wait must be a number of seconds, and not ${String(wait)}: ${remedy}.`,
    );
  }
  if (wait >= 0 && wait <= LONGEST_WAIT) return;
  throw new RangeError(
    `wait must be from 0 to ${LONGEST_WAIT} seconds, and not ${wait}: ${remedy}.`,
  );
}

/**
 * Starts a run, and waits for its end for so many seconds.
 *
 * @throws If it fails in this time.
 */
export async function startRun(
  wait: number,
  { signal, onOutput }: Following,
  start: (following: Following) => Promise<Result>,
): Promise<Run> {
  const stop = new AbortController();
  const printed = new Printed();
  let status: Run["status"] = "running";
  const ending = start({
    signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal,
    onOutput(stream, text) {
      printed.take(stream, text);
      return onOutput?.(stream, text);
    },
  });
  const end = (last: Run["status"]) => {
    status = last;
    printed.end();
  };
  // A failure is thrown by `result()`, and nowhere else.
  const ended = ending.then(({ status }) => end(status), () => end("failed"));
  if (await isOverWithin(ended, wait * 1000)) await ending;
  return {
    get status() {
      return status;
    },
    result: () => ending,
    async cancel() {
      stop.abort();
      await ended;
    },
    output: () => printed.read(),
  };
}
