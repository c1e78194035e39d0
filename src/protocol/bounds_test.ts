import { assert, assertEquals } from "../../deps/assert.ts";
import { CONSTANTS, SETTINGS } from "../settings.ts";
import {
  CLIENT_LINE,
  ENCODED_CODE,
  fitsEncoded,
  FROM_SANDBOX_LINE,
  LONGEST_CALL,
  LONGEST_ESCAPE,
  longestValue,
  MOST_CODE,
  MOST_OUTPUT,
  NOTE_CHARS,
} from "./bounds.ts";

Deno.test("fitsEncoded() counts bytes of JSON, escapes and all", () => {
  const texts = ["", "abc", '"', "\\", "\u0000", "é", "😀", "\ud800", "\n"];
  for (const text of texts) {
    const { length } = new TextEncoder().encode(JSON.stringify(text));
    assertEquals(fitsEncoded(text, length), true, JSON.stringify(text));
    if (length > 2 + text.length) {
      assertEquals(fitsEncoded(text, length - 1), false, JSON.stringify(text));
    }
  }
});

Deno.test("the largest options and constants are those that lines between processes have room for", () => {
  const { kind } = SETTINGS.maxOutput;
  assertEquals(kind.parse(String(MOST_OUTPUT)), MOST_OUTPUT);
  assertEquals(kind.parse(String(MOST_OUTPUT + 1)), undefined);
  assert(CONSTANTS.maxCode <= MOST_CODE);
  assert(CONSTANTS.maxHostCallSize <= LONGEST_CALL);
});

Deno.test("each line has room for what the one before can bring", () => {
  assert(MOST_CODE < CLIENT_LINE);
  // No encoding of a text is shorter than ours.
  assertEquals(ENCODED_CODE, CLIENT_LINE);
  const value = longestValue(MOST_OUTPUT);
  const shown = MOST_OUTPUT + NOTE_CHARS;
  assert(LONGEST_ESCAPE * (value + shown) < FROM_SANDBOX_LINE);
});
