/**
 * The largest requests that there may be, and those that are a little larger,
 * through all processes.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { ENCODED_GLOBALS, MOST_CODE } from "../src/protocol/bounds.ts";
import { startServer } from "./support/server.ts";

/** A quote takes two bytes in a client's line, and four in a frame. */
const QUOTE_BYTES = 4;
const QUOTES = Math.floor(ENCODED_GLOBALS / QUOTE_BYTES) - 100;

Deno.test("the largest request that there may be is served, and a larger one refused", async () => {
  await using server = await startServer([
    ...[`+maxCode=${MOST_CODE}`, "--memory", "1024"],
  ]);
  const huge = (count: number) => ({
    global_variables: { a: '"'.repeat(count) },
  });
  const refused = /global_variables is too large.*may have 33554432 bytes/;
  for (const count of [QUOTES + 100, 16_777_210]) {
    assertMatch((await server.call("1", huge(count))).text, refused);
    assertEquals((await server.call("6 * 7")).returnValue, 42);
  }
  const code = `[len(a), 1]\n#${'"'.repeat(MOST_CODE / 2)}`;
  const largest = await server.call(code, huge(QUOTES));
  assertEquals(largest.returnValue, [QUOTES, 1], largest.text.slice(0, 500));
  const { returnValue } = await server.call(
    `[1, 2]\n#${"x".repeat(MOST_CODE - 10)}`,
  );
  assertEquals(returnValue, [1, 2]);
  const { text } = await server.call("#".repeat(MOST_CODE + 1));
  assertMatch(text, /bytes, and may have \d+: send/);
  assertEquals((await server.call("6 * 7")).returnValue, 42);
});
