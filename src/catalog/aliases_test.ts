import { assertEquals, assertMatch } from "../../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  oneof,
  property,
  string,
} from "../../deps/fast_check.ts";
import { isKeyword, toAliases } from "./identifiers.ts";

Deno.test("toAliases() follows the rules of names", () => {
  const aliases: Record<string, string> = {
    "get_time": "get_time",
    "get-time": "get_time_2",
    "Get Time": "get_time_3",
    "get_time_2": "get_time_2_2",
    "2d": "_2d",
    "": "_",
    "class": "class_",
    "match": "match_",
    "None": "none",
    "__debug__": "__debug___",
    "größe": "gr__e",
    "git.log": "git_log",
  };
  assertEquals(Object.fromEntries(toAliases(Object.keys(aliases))), aliases);
});

Deno.test("toAliases() gives each name an alias of its own, the same each time", () => {
  const names = array(oneof(
    string({ unit: "binary" }),
    string({ unit: constantFrom("a", "A", "-", "_", "2", " ") }),
    constantFrom("import", "Import", "import_", "True", "__debug__"),
  ));
  assertProperty(property(names, (names) => {
    const aliases = toAliases(names);
    assertEquals([...aliases.keys()], [...new Set(names)]);
    assertEquals(new Set(aliases.values()).size, aliases.size);
    assertEquals(toAliases(names), aliases);
    for (const alias of aliases.values()) {
      assertMatch(alias, /^[a-z_][a-z0-9_]*$/);
      assertEquals(isKeyword(alias), false);
    }
  }));
});

Deno.test("toAliases() names thousands that are alike at once", () => {
  const names = Array.from(
    { length: 20_000 },
    (_, at) => String.fromCodePoint(0x4e00 + at),
  );
  assertEquals(toAliases(names).get(names.at(-1) ?? ""), "__20000");
});
