import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { type Places, toDenoFlags } from "./flags.ts";

const PLACES: Places = {
  cache: ["/cache"],
  environment: ["/cache/one"],
  pyodide: ["/pyodide"],
  program: ["/src", "/deps"],
  sources: [],
  hosts: [],
};

Deno.test("toDenoFlags() opens nothing when nothing is named", () => {
  assertEquals(toDenoFlags({}, PLACES), ["--no-prompt"]);
  assertEquals(toDenoFlags({ read: [] }, PLACES), ["--no-prompt"]);
});

Deno.test("toDenoFlags() names every path of a scope", () => {
  assertEquals(
    toDenoFlags({ write: ["cache"], read: ["cache", "program"] }, PLACES),
    ["--no-prompt", "--allow-read=/cache,/src,/deps", "--allow-write=/cache"],
  );
});

Deno.test("toDenoFlags() refuses a path that would open a second path", () => {
  const places = { ...PLACES, cache: ["/data/a,/etc"] };
  assertThrows(() => toDenoFlags({ read: ["cache"] }, places), RangeError);
});

Deno.test("toDenoFlags() refuses a scope without a place, which would open all", () => {
  assertThrows(() => toDenoFlags({ read: ["cache"] }), RangeError);
});
