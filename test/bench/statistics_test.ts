import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { maybeMedian, mean, median, percentile } from "./statistics.ts";

Deno.test("median() is the middle value, in whatever order they came", () => {
  assertEquals(median([3, 1, 200]), 3);
  assertEquals(median([7]), 7);
});

Deno.test("median() of an even count is between the middle two", () => {
  assertEquals(median([10, 1, 4, 2]), 3);
});

Deno.test("maybeMedian() is undefined without values", () => {
  assertEquals([maybeMedian([]), maybeMedian([2, 1, 3])], [undefined, 2]);
});

Deno.test("percentile() is a value that was measured", () => {
  const upTo20 = Array.from({ length: 20 }, (_, index) => 20 - index);
  assertEquals(percentile(upTo20, 0.95), 19);
  assertEquals(percentile(upTo20, 0.5), 10);
  assertEquals(percentile(upTo20, 1), 20);
  assertEquals(percentile([5, 9], 0.95), 9);
});

Deno.test("percentile() refuses a share outside 0 to 1", () => {
  assertThrows(() => percentile([1], 95), RangeError);
  assertThrows(() => percentile([1], 0), RangeError);
});

Deno.test("mean() is the average", () => {
  assertEquals(mean([40, 50, 40, 50]), 45);
});

Deno.test("statistics of nothing are refused, not made up", () => {
  assertThrows(() => median([]), RangeError);
  assertThrows(() => mean([]), RangeError);
  assertThrows(() => percentile([], 0.5), RangeError);
});

Deno.test("statistics leave what they are given as it is", () => {
  const values = [3, 1, 2];
  [median(values), percentile(values, 0.5), mean(values)];
  assertEquals(values, [3, 1, 2]);
});
