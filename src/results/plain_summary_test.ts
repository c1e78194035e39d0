import { assert, assertEquals } from "../../deps/assert.ts";
import type { Json } from "../protocol/run_result.ts";
import { toPlainSummary } from "./plain_summary.ts";

const numbers = Array.from({ length: 10_000 }, (_, at) => at);
const [head, tail] = [[0, 1, 2, 3, 4], [9995, 9996, 9997, 9998, 9999]];
const SUMMARY = { type: "list", length: 10_000, head, tail };

Deno.test("toPlainSummary() sums up lists and objects, and large members of small ones", () => {
  assertEquals(toPlainSummary(numbers), SUMMARY);
  const keyed = Object.fromEntries(numbers.map((at) => [`k${at}`, at]));
  assertEquals(toPlainSummary(keyed), {
    ...{ type: "dict", length: 10_000 },
    head: { k0: 0, k1: 1, k2: 2, k3: 3, k4: 4 },
    tail: { k9995: 9995, k9996: 9996, k9997: 9997, k9998: 9998, k9999: 9999 },
  });
  const small = { a: 1, b: [2], c: "three" };
  assertEquals(toPlainSummary({ ...small, all: numbers, more: [[numbers]] }), {
    ...small,
    ...{ all: SUMMARY, more: [[SUMMARY]] },
  });
  assertEquals(toPlainSummary(small), small);
});

Deno.test("toPlainSummary() counts the items that were not sent, and has no tail of them", () => {
  assertEquals(toPlainSummary([...numbers, "<31,481 more>"]), {
    ...{ type: "list", length: 41_481, head },
  });
});

Deno.test("toPlainSummary() is short, whatever the value is", () => {
  let deep: Json = numbers;
  for (let level = 0; level < 200; level++) deep = [deep, "x"];
  const wide = Array.from({ length: 20 }, () => numbers);
  const texts = Array.from({ length: 20 }, () => "\u0000".repeat(9000));
  for (const value of [deep, wide, texts, ["a".repeat(9000)], [wide, wide]]) {
    const { length } = JSON.stringify(toPlainSummary(value));
    assert(length <= 4000, `${length}`);
  }
});
