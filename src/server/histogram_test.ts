import { assertEquals } from "../../deps/assert.ts";
import { Histogram } from "./histogram.ts";

Deno.test("Histogram counts a value in its bucket and all larger ones", () => {
  const histogram = new Histogram();
  for (const seconds of [0.005, 0.006, 400]) histogram.add(seconds);
  const counts = histogram.cumulated.map(({ count }) => count);
  assertEquals([counts.at(0), counts.at(1), counts.at(-2), counts.at(-1)], [
    ...[1, 2, 2, 3],
  ]);
  assertEquals(histogram.sum, 400.011);
});
