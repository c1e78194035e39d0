import { assert, assertEquals } from "../../deps/assert.ts";
import { toLines } from "./output.ts";
import { TerminalText } from "./terminal_text.ts";

/** What is on the lines, however the text comes. */
const SCREENS: [text: string, lines: string[]][] = [
  ["plain\ntext", ["plain", "text"]],
  ["windows\r\nlines\r\n", ["windows", "lines"]],
  ["10%\r20%\rdone\nnext", ["done", "next"]],
  ["hello\rJ\n", ["Jello"]],
  ["\r  0%|\r 50%|#\r100%|##\n", ["100%|##"]],
  ["10%\r20%\r", ["20%"]],
  ["abc\b\bX\n", ["aXc"]],
  ["\b\b|\b/\b-\b\\\b done\n", [" done"]],
  ["\b\bup\n", ["up"]],
  ["long text\rshort\x1b[K\n", ["short"]],
  ["long text\x1b[2K\rnew\n", ["new"]],
  ["long\x1b[1K\x1b[4Gx\n", ["   x"]],
  ["a\x1b[3Cb\x1b[2Dc\n", ["a  cb"]],
  ["wide 漢字\r漢\n", ["漢ide 漢字"]],
  ["😀😀\r1\n", ["1😀"]],
  ["\x1b[31mred\x1b[0m \x1b[1;38;5;7mbold\x1b[m\n", ["red bold"]],
  ["\x1b]8;;https://x\x1b\\link\x1b]8;;\x07\x1b[?25l\n", ["link"]],
  ["\x1b[2Jcleared\x1b(B\n", ["cleared"]],
  ["gone\r    \r", []],
  ["before\ngone\r    \rafter\n", ["before", "after"]],
  // Two bars of tqdm, the inner without a rest.
  [
    "\router 0%\n\rinner 0%\x1b[A\n\rinner 9%\x1b[A\router 1%\n\r        \r\x1b[A\rdone    \n",
    ["done"],
  ],
  ["title\n\ra\n\rb\x1b[A\x1b[2K\rA\nend\n", ["title", "A", "end"]],
  ["a\n\x1b[Ab\n", ["a", "b"]],
  ["up\x1b[9A\x1b[9B down\n", ["up down"]],
];

Deno.test("TerminalText resolves lines that are drawn again, however they come", () => {
  for (const [text, lines] of SCREENS) {
    for (let size = 1; size <= text.length; size++) {
      const passed = pass(cut(text, size));
      assertEquals(
        toLines(passed),
        lines,
        `${JSON.stringify(text)} by ${size}`,
      );
    }
  }
});

Deno.test("TerminalText passes text at once until it is drawn again, and then no more of a line than twice", () => {
  const text = new TerminalText();
  assertEquals(text.push("line\nhalf "), "line\nhalf ");
  assertEquals(text.push("a line"), "a line");
  assertEquals(text.push("\rthat"), "");
  assertEquals(text.push(" is "), "");
  assertEquals(text.push("new\n"), "");
  assertEquals(text.push("plain\n"), "\rthat is new\nplain\n");
  assertEquals(text.push("started \r\n"), "started \n");
  assertEquals(text.finish(), "");
});

Deno.test("TerminalText lets a bar that has ended pass before the other stream goes on, and no bar under way", () => {
  const text = new TerminalText();
  text.push("\r 50%");
  assertEquals(text.pause(), "");
  text.push("\r100%\n");
  assertEquals(text.pause(), "100%\n");
  assertEquals(text.pause(), "");
  text.push("\router\n\rinner\x1b[A");
  assertEquals(text.pause(), "");
  assertEquals(text.finish(), "outer\ninner");
});

Deno.test("TerminalText keeps no more than a few lines, whatever comes, and loses no text of a long line", () => {
  const text = new TerminalText();
  for (let at = 0; at < 50_000; at++) {
    assertEquals(text.push("\rpart".repeat(10)), "");
  }
  assertEquals(text.push("\n"), "");
  let passed = "";
  for (let at = 0; at < 1000; at++) passed += text.push(`\r${at}\n`);
  const lines = toLines(passed + text.finish());
  assertEquals(lines.length, 1001);
  assert(passed.length > 3500, `${passed.length}`);
  const long = `${"x".repeat(25_000)}\ry`;
  assertEquals(pass([long]), `${"x".repeat(25_000)}\ny`);
  assertEquals(toLines(pass([`a\r${long}`])), ["x".repeat(25_000), "y"]);
  assertEquals(pass([`\x1b]${"x".repeat(3000)}`]), "x".repeat(3000));
});

Deno.test("TerminalText makes no long line of a short move", () => {
  for (const move of ["\x1b[9999C", "\x1b[9999G"]) {
    const text = pass([`${move}x\n`.repeat(100)]);
    assert(text.length <= 100 * 210, `${text.length}`);
  }
  const wide = "x".repeat(300);
  assertEquals(
    toLines(pass([`${wide}\x1b[299G!\n`])),
    [`${"x".repeat(298)}!x`],
  );
});

function pass(pieces: string[]): string {
  const text = new TerminalText();
  return pieces.map((piece) => text.push(piece)).join("") + text.finish();
}

function cut(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}
