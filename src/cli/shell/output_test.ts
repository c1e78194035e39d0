import { assertEquals } from "../../../deps/assert.ts";
import { forTerminal, toLastLine } from "./output.ts";

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

Deno.test("forTerminal() keeps colours and the moves of bars, in pieces, too", () => {
  const text =
    "a\tb\r\n\b\x07\x1b[1;38:5:9mred\x1b[m\x1b[2K\x1b[1A\x1b[?25l\x1b[?25h é 😀 ‮";
  assertEquals(forTerminal()(text), text);
  const take = forTerminal();
  assertEquals([...text].map(take).join(""), text);
});

Deno.test("forTerminal() shows other controls, and no terminal obeys them", () => {
  const shown: Record<string, string> = {
    // The clipboard, the title, and answers that the terminal types.
    "\x1b]52;c;ZXZpbA==\x07": "␛]52;c;ZXZpbA==\x07",
    "\x1b]0;title\x1b\\": "␛]0;title␛\\",
    "\x1b[6n\x1b[21t\x1b[c\x1bZ": "␛[6n␛[21t␛[c␛Z",
    "\x1bP$qm\x1b\\\x1b_G\x1b\\": "␛P$qm␛\\␛_G␛\\",
    "\x1b[5i\x1b[?1049h\x1b[?25;1049h": "␛[5i␛[?1049h␛[?25;1049h",
    "\x9b6n\x9d52;c;x\x9c": "\ufffd6n\ufffd52;c;x\ufffd",
    "\x1b\x1b[31m\0\x0e\x7f\x05": "␛\x1b[31m␀␎␡␅",
  };
  for (const [text, expected] of Object.entries(shown)) {
    assertEquals(forTerminal()(text), expected);
    const take = forTerminal();
    assertEquals([...text, "."].map(take).join(""), `${expected}.`);
  }
  const long = `\x1b[${"1".repeat(100_000)}`;
  const take = forTerminal();
  assertEquals(take(long).length, long.length);
});
