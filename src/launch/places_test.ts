import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { placesFor, toNetPlaces } from "./places.ts";

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

Deno.test("toNetPlaces() closes each address of this machine to what is granted", () => {
  const { ownAddresses } = toNetPlaces(["example.com"]);
  const addresses = Deno.networkInterfaces().map(({ address }) => address);
  assert(addresses.length > 0);
  assertEquals(ownAddresses, addresses);
  assertEquals(toNetPlaces([]), { hosts: [] });
});
