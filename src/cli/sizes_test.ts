import { assertEquals } from "../../deps/assert.ts";
import { toSize } from "./sizes.ts";

Deno.test("toSize() says bytes as a reader does", () => {
  assertEquals([0, 1023, 1024, 1025, 2 ** 20, 1.26 * 2 ** 20].map(toSize), [
    "0 KiB",
    "1 KiB",
    "1 KiB",
    "2 KiB",
    "1.0 MiB",
    "1.3 MiB",
  ]);
});
