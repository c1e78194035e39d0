// Stands in for @std/assert, which is on JSR only.
import { type AssertPredicate, rejects, throws } from "node:assert/strict";

export {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  notDeepStrictEqual as assertNotEquals,
  ok as assert,
} from "node:assert/strict";

/** Any error is expected. */
const ANY: AssertPredicate = () => true;

/**
 * Fails unless a function throws what is expected. It lacks the third parameter
 * of Node's: a text there is a label, and not compared, as its reader thinks.
 */
export function assertThrows(
  block: () => unknown,
  expected: AssertPredicate = ANY,
): void {
  throws(block, expected);
}

/** Fails unless a promise is rejected with what is expected. */
export function assertRejects(
  block: (() => Promise<unknown>) | Promise<unknown>,
  expected: AssertPredicate = ANY,
): Promise<void> {
  return rejects(block, expected);
}
