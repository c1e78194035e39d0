/**
 * Whether long tests go all their rounds. `deno task test` goes a few of them,
 * `deno task slow` all.
 */
export const ALL_ROUNDS: boolean = Deno.env.get("TEST_ROUNDS") === "all";
