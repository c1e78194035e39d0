import { deferred } from "./deferred.ts";

/** The time for some work is over. */
export class DeadlineError extends Error {
  override name = "DeadlineError";
}

/**
 * Waits for work, which goes on by itself if it is late.
 *
 * @param what The subject of the error's sentence, such as `the store`.
 * @throws {DeadlineError} If the work takes longer.
 */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  what = "it",
): Promise<T> {
  const late = deferred<never>();
  const timer = setTimeout(
    () =>
      late.reject(new DeadlineError(`${what} took more than ${ms / 1000} s`)),
    ms,
  );
  return await Promise.race([work, late.promise]).finally(() =>
    clearTimeout(timer)
  );
}

/** Whether work is done in time, or has failed in time. */
export async function isOverWithin(
  work: Promise<unknown>,
  ms: number,
): Promise<boolean> {
  const over = work.then(() => true, () => true);
  return await within(over, ms).catch(() => false);
}

/**
 * Waits for work, or for a signal: the work goes on by itself then.
 *
 * @throws The signal's reason.
 */
export function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    work.then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
