import { satisfies, validRange } from "../../deps/pep440.ts";

/** No person writes a longer range, and it takes long to compare. */
const LONGEST = 200;
/** A number of so many digits makes the comparison fail. */
const HUGE = /\d{16}/;

/** Whether a version is in a range (PEP 440); undefined if that is not a range. */
export function maybeInRange(
  version: string,
  range: string,
): boolean | undefined {
  const isRange = range.length <= LONGEST && !HUGE.test(range) &&
    validRange(range);
  return isRange ? satisfies(version, range, { prereleases: true }) : undefined;
}
