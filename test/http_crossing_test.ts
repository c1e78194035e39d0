/**
 * Four clients of both eras, each with four sessions, call a server at once; the
 * form that lasts a minute is a part of `deno task soak`.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { cross, crossingComplaints } from "./bench/soak/crossing.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

Deno.test("four clients with four sessions each get answers to their own questions", async () => {
  const seed = Date.now() % 2 ** 31;
  log(`seed ${seed}`);
  const most = ALL_ROUNDS ? 2000 : 100;
  const crossed = await cross({
    hasTokens: true,
    seed,
    goesOn: (calls) => calls < most,
  });
  assertEquals(crossingComplaints(crossed), []);
});
