import { assertEquals } from "../../deps/assert.ts";
import { toFileBounds } from "./connection_files.ts";

Deno.test("toFileBounds() gives a run what the options allow", () => {
  assertEquals(toFileBounds({ maxFilesMiB: 2, maxFiles: 3 }), {
    bytes: 2 * 2 ** 20,
    count: 3,
  });
});
