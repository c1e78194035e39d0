/**
 * Whether long tests go all their rounds. `deno task test` goes a few of them,
 * `deno task slow` all.
 */
export const ALL_ROUNDS: boolean = Deno.env.get("TEST_ROUNDS") === "all";

/**
 * Cases of a test: those that differ most, or all in `deno task slow`.
 *
 * @throws {RangeError} If one of the few is not there.
 */
export function someOf<T>(
  all: Record<string, T>,
  few: string[],
): [name: string, one: T][] {
  const missing = few.find((name) => !(name in all));
  if (missing !== undefined) throw new RangeError(`There is no "${missing}"`);
  return Object.entries(all)
    .filter(([name]) => ALL_ROUNDS || few.includes(name));
}
