import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { toScopePaths } from "./find_scope_paths.ts";

Deno.test("toScopePaths() names each place once", () => {
  const places = toScopePaths("/cache", ["/pyodide"]);
  assertEquals(places.cache, ["/cache"]);
  assertEquals(places.runtime, ["/pyodide"]);
  assertEquals(places.program.map((path) => path.split(/[\\/]/).at(-1)), [
    "src",
    "deps",
  ]);
});

Deno.test("toScopePaths() refuses a Pyodide that no flag can name, with the remedy", () => {
  assertThrows(
    () => toScopePaths("/cache", ["/data/a,/etc"]),
    { name: "UserError", message: /"\/data\/a,\/etc".*comma.*DENO_DIR/ },
  );
});
