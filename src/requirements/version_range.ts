import { satisfies, validRange } from "../../deps/pep440.ts";

/** No person writes a longer range, and it takes long to compare. */
const LONGEST = 200;
/** A number of so many digits makes the comparison fail. */
const HUGE = /\d{16}/;

/**
 * Whether a version of Python, or of a package, is in a range (PEP 440).
 *
 * @example
 * ```ts
 * import { assertEquals } from "../../deps/assert.ts";
 *
 * assertEquals(maybeInRange("3.14.2", ">=3.11,<4"), true);
 * assertEquals(maybeInRange("3.14.2", "<3"), false);
 * assertEquals(maybeInRange("3.14.2", "3.14"), undefined);
 * ```
 *
 * @returns Undefined if the text is not a range.
 */
export function maybeInRange(
  version: string,
  range: string,
): boolean | undefined {
  const isRange = range.length <= LONGEST && !HUGE.test(range) &&
    validRange(range);
  return isRange ? satisfies(version, range, { prereleases: true }) : undefined;
}
