import { assertEquals } from "../../deps/assert.ts";
import { toTellingWords, toWords } from "./words.ts";

Deno.test("toWords() splits names of each style", () => {
  const words: Record<string, string[]> = {
    "getUserByID": ["get", "user", "by", "id"],
    "get_user-by.id": ["get", "user", "by", "id"],
    "HTTPServer2Start": ["http", "server2", "start"],
    "Größe ändern": ["große", "andern"],
    "": [],
    "--": [],
  };
  for (const [text, expected] of Object.entries(words)) {
    assertEquals(toWords(text), expected);
  }
});

Deno.test("toTellingWords() leaves out words that say nothing, unless there is no other", () => {
  assertEquals(toTellingWords("How do I read the files?"), ["read", "files"]);
  assertEquals(toTellingWords("what is this"), ["what", "is", "this"]);
});
