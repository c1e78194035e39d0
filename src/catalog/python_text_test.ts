import { assert, assertEquals } from "../../deps/assert.ts";
import { leastMs } from "../../test/support/cost.ts";
import {
  maybeLiteral,
  toDocstring,
  toLine,
  toPlainText,
  toStringLiteral,
} from "./python_text.ts";

Deno.test("maybeLiteral() writes JSON as Python does, if it is short", () => {
  assertEquals(
    maybeLiteral({ a: [null, true, false, 1.5, "x\n"], "": {} }, 100),
    '{"a": [None, True, False, 1.5, "x\\n"], "": {}}',
  );
  assertEquals(maybeLiteral("x".repeat(58), 60), `"${"x".repeat(58)}"`);
  assertEquals(maybeLiteral("x".repeat(59), 60), undefined);
});

Deno.test("toStringLiteral() escapes each character that is not seen", () => {
  assertEquals(
    toStringLiteral('"\\\n\0\x7f\u202e\u2028\u{e0041}é👩\ud800'),
    '"\\"\\\\\\n\\u0000\\u007f\\u202e\\u2028\\U000e0041é👩\\ud800"',
  );
});

Deno.test("toDocstring() has no end before its end", () => {
  assertEquals(toDocstring("one", "  "), '  """one"""');
  assertEquals(
    toDocstring('a """ b\n\n\\"""\n"', "  "),
    '  """a \\"\\"\\" b\n\n  \\\\\\"\\"\\"\n  \\"\n  """',
  );
  assertEquals(toDocstring('"', ""), '"""\\""""');
});

Deno.test("toPlainText() leaves out what hides or turns text, and the middle of long texts", () => {
  assertEquals(
    toPlainText(" a\r\nb\rc\u2028d \u202e\u{e0041}\x1b[2J\ud800\t|\n\n", 100),
    "a\nb\nc\nd [2J\ufffd\t|",
  );
  const long = toPlainText("word ".repeat(1e6), 1000);
  assert(long.length < 1100 && long.includes(" characters left out …"));
});

Deno.test("toLine() has one line", () => {
  assertEquals(toLine("a\n\n b\r\tc", 10), "a b c");
  assertEquals(toLine("x".repeat(1e6), 10), `${"x".repeat(9)}…`);
});

Deno.test("toPlainText() takes spaces for little more than letters", () => {
  const cost = (letter: string) =>
    leastMs(() => toPlainText(`a${letter.repeat(15_000)}a`, 8000));
  assert(cost(" ") < 50 * cost("b"));
});
