// Stands in for @std/assert, which is on JSR only.
import { type AssertPredicate, rejects, throws } from "node:assert/strict";

export {
  deepStrictEqual as assertEquals,
  match as assertMatch,
  notDeepStrictEqual as assertNotEquals,
  ok as assert,
} from "node:assert/strict";

const ANY: AssertPredicate = () => true;

/** Without the third parameter of Node's, a label that readers take for a check. */
export function assertThrows(
  block: () => unknown,
  expected: AssertPredicate = ANY,
): void {
  throws(block, expected);
}

export function assertRejects(
  block: (() => Promise<unknown>) | Promise<unknown>,
  expected: AssertPredicate = ANY,
): Promise<void> {
  return rejects(block, expected);
}
