import { within } from "../../src/deadline.ts";

/** Much longer than any test takes, on any machine. */
const LONGEST_MS = 600_000;

/** A test of what may wait for ever if it is broken: it fails then, and does not hang. */
export function withEnd<T extends unknown[]>(
  test: (...context: T) => Promise<void>,
): (...context: T) => Promise<void> {
  return (...context) => within(test(...context), LONGEST_MS, "the test");
}
