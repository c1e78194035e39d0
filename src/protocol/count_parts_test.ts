import { assertEquals } from "../../deps/assert.ts";
import { countParts } from "./count_parts.ts";

Deno.test("countParts() counts lists, objects and keys, and none in texts", () => {
  const count = (data: unknown) =>
    countParts(new TextEncoder().encode(JSON.stringify(data)));
  assertEquals([count(1), count([]), count({}), count({ a: [1, 2] })], [
    ...[0, 1, 1, 3],
  ]);
  assertEquals(count([[[]], { a: {}, b: null }]), 7);
  const texts = ['"', "\\", '\\"[', "{[:", '\\\\"{', "é[\u0000"];
  assertEquals(count(texts), 1);
  assertEquals(count({ '"[{:': "" }), 2);
});
