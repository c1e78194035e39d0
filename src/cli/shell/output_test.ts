import { assertEquals } from "../../../deps/assert.ts";
import { toLastLine } from "./output.ts";

Deno.test("toLastLine keeps little of a line that does not end", () => {
  let line = "";
  for (let left = 1000; left > 0; left--) {
    line = toLastLine(line, "x".repeat(1000));
  }
  assertEquals(line, "x".repeat(100));
  assertEquals(toLastLine(line, "\r\nabc"), "abc");
  assertEquals(toLastLine("ab", "c"), "abc");
  assertEquals(toLastLine("ab", "c\rd\n"), "");
});
