import { assertEquals } from "../../deps/assert.ts";
import type { Json } from "../protocol/run_result.ts";
import { cutText, cutValue, head, leftOut, tail } from "./cut.ts";

Deno.test("cutValue() leaves a value within the limit as it is", () => {
  const values: Json[] = [null, true, 1.5, "abc", [1, "a"], { a: null }];
  for (const value of values) {
    assertEquals(cutValue(value, 10), { value });
    assertEquals(cutValue(value, Infinity), { value });
  }
});

Deno.test("cutValue() counts a string without quotes, all else as JSON text", () => {
  assertEquals(cutValue("abcd", 4), { value: "abcd" });
  assertEquals(cutValue("a\n", 2), { value: "a\n" });
  assertEquals(cutValue([12], 4), { value: [12] });
  assertEquals(cutValue([123], 4), {
    value:
      "[123\n[... cut after 4 of 5 characters; --max-output allows more ...]",
    total: 5,
  });
});

Deno.test("cutValue() keeps the head of a long string and says how long it was", () => {
  assertEquals(cutValue("ab".repeat(5000), 3), {
    value:
      "aba\n[... cut after 3 of at least 10,000 characters; --max-output allows more ...]",
    total: 10_000,
  });
});

Deno.test("cutText() keeps head and tail, so that a traceback keeps its last line", () => {
  assertEquals(cutText("0123456789", 10), { text: "0123456789" });
  assertEquals(cutText("0123456789", 5), {
    text: "012\n[... 5 characters left out; --max-output allows more ...]\n89",
    total: 10,
  });
  assertEquals(cutText("0123456789", 0).text, leftOut(10));
});

Deno.test("head() and tail() do not split a surrogate pair", () => {
  assertEquals(head("a😀b", 2), "a");
  assertEquals(head("a😀b", 3), "a😀");
  assertEquals(tail("a😀b", 2), "b");
  assertEquals(tail("a😀b", 3), "😀b");
  assertEquals(head("abc", 0), "");
  assertEquals(tail("abc", 0), "");
  assertEquals(head("abc", 9), "abc");
  assertEquals(tail("abc", 9), "abc");
});
