import { assert, assertEquals } from "../../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  oneof,
  property,
  string,
} from "../../deps/fast_check.ts";
import { freeNames, isIdentifier, toIdentifiers } from "./identifiers.ts";

const KEYS = array(
  oneof(
    string({ unit: "binary" }),
    constantFrom("a-b", "a_b", "a b", "a_b_2", "", "_", "1", "from", "from_"),
    string({ unit: constantFrom("a", "-", "_", "2") }),
  ),
);

Deno.test("toIdentifiers() gives each key a name of its own, which Python takes", () => {
  assertProperty(property(KEYS, (keys) => {
    const names = toIdentifiers(keys);
    assertEquals(names.size, new Set(keys).size);
    assertEquals(new Set(names.values()).size, names.size);
    for (const [key, name] of names) {
      assert(isIdentifier(name), name);
      if (isIdentifier(key)) assertEquals(name, key);
    }
  }));
});

Deno.test("toIdentifiers() bounds long keys", () => {
  const names = toIdentifiers(["x".repeat(1e6), `${"x".repeat(1e6)}y`]);
  assertEquals([...names.values()], ["x".repeat(64), `${"x".repeat(64)}_2`]);
});

Deno.test("freeNames() counts on, however often a name is wanted", () => {
  const toFree = freeNames(["a", "a_3"]);
  const names = Array.from({ length: 20_000 }, () => toFree("a"));
  assertEquals(names.slice(0, 3), ["a_2", "a_4", "a_5"]);
  assertEquals(new Set(names).size, names.length);
});
