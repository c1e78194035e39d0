import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { placesFor } from "./places.ts";

Deno.test("placesFor() names each place once", () => {
  const places = placesFor("/cache", "/cache/one", "/pyodide");
  assertEquals(places.cache, ["/cache"]);
  assertEquals(places.environment, ["/cache/one"]);
  assertEquals(places.pyodide, ["/pyodide"]);
  assertEquals(places.program.map((path) => path.split(/[\\/]/).at(-1)), [
    "src",
    "deps",
  ]);
  assertEquals(places.sources, []);
});

Deno.test("placesFor() refuses a Pyodide that no flag can name, with the remedy", () => {
  assertThrows(
    () => placesFor("/cache", "/cache/one", "/data/a,/etc"),
    { name: "UserError", message: /"\/data\/a,\/etc".*comma.*DENO_DIR/ },
  );
});
