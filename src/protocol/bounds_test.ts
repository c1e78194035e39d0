import { assert, assertEquals } from "../../deps/assert.ts";
import { SETTINGS } from "../settings.ts";
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

Deno.test("the largest options are those that lines between processes have room for", () => {
  const { maxOutput, maxCode, maxHostCallSize } = SETTINGS;
  for (
    const [{ kind }, most] of [
      [maxOutput, MOST_OUTPUT],
      [maxCode, MOST_CODE],
      [maxHostCallSize, LONGEST_CALL],
    ] as const
  ) {
    assertEquals(kind.parse(String(most)), most);
    assertEquals(kind.parse(String(most + 1)), undefined);
  }
});

Deno.test("each line has room for what the one before can bring", () => {
  assert(MOST_CODE < CLIENT_LINE);
  // No encoding of a text is shorter than ours.
  assertEquals(ENCODED_CODE, CLIENT_LINE);
  const value = longestValue(MOST_OUTPUT);
  const shown = MOST_OUTPUT + NOTE_CHARS;
  assert(LONGEST_ESCAPE * (value + shown) < FROM_SANDBOX_LINE);
});
