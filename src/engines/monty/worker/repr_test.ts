import { assertEquals } from "../../../../deps/assert.ts";
import { toRepr } from "./repr.ts";

Deno.test("toRepr() writes what repr() of CPython does", () => {
  const cases: [string, string][] = [
    ["a b", `'a b'`],
    ["it's", `"it's"`],
    [`it's "so"`, `'it\\'s "so"'`],
    ["\\\n\r\t", `'\\\\\\n\\r\\t'`],
    ["\0\x7f\xa0", `'\\x00\\x7f\\xa0'`],
    ["\u2028\u{e0001}", `'\\u2028\\U000e0001'`],
    ["é😀", `'é😀'`],
  ];
  for (const [text, repr] of cases) assertEquals(toRepr(text), repr);
});
