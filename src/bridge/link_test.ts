import { assertEquals } from "../../deps/assert.ts";
import { Flood } from "./link.ts";

Deno.test("Flood counts bytes and messages until a request is answered", () => {
  const flood = new Flood();
  assertEquals(flood.take(64 << 20), false);
  assertEquals(flood.take(1), true);
  flood.calm();
  assertEquals(flood.take(0, 100_000), false);
  assertEquals(flood.take(0, 1), true);
});
