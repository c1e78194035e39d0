import { assertEquals } from "../../deps/assert.ts";
import { formatTime } from "./elements.ts";
import { formatCount, setLocale } from "./locale.ts";

Deno.test("setLocale() has numbers written as a reader does, and ignores names of no language", () => {
  try {
    assertEquals(formatCount(1234), "1,234");
    setLocale("de-DE");
    assertEquals(formatCount(1234), "1.234");
    assertEquals(formatTime(2345), "2,35 s");
    setLocale("no such locale");
    assertEquals(formatCount(1234), "1.234");
  } finally {
    setLocale("en");
  }
});
