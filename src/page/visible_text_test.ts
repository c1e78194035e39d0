import { assertEquals } from "../../deps/assert.ts";
import { toVisible } from "./visible_text.ts";

Deno.test("toVisible() shows what turns a text, and cuts marks that pile up", () => {
  assertEquals(toVisible("d\u202egpj.exe"), "d\\u202egpj.exe");
  assertEquals(
    toVisible(`a${"\u0301".repeat(9)}b`),
    `a${"\u0301".repeat(8)}…b`,
  );
  for (const text of ["", "e\u0301", "שלום", "👩‍👩‍👧", "नमस्ते"]) {
    assertEquals(toVisible(text), text);
  }
});
