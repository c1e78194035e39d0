import { assert, assertEquals } from "../../deps/assert.ts";
import { cutText, head, leftOut, tail } from "./cut.ts";

Deno.test("cutText() keeps head and tail, so that a traceback keeps its last line", () => {
  assertEquals(cutText("0123456789", 10), { text: "0123456789" });
  assertEquals(cutText("0123456789", 5), {
    text: "012\n… 5 characters left out …\n89",
    total: 10,
  });
  assertEquals(cutText("0123456789", 0).text, leftOut(10));
});

Deno.test("cutText() keeps whole lines where it can, and counts the rest", () => {
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`);
  const { text, total = 0 } = cutText(lines.join("\n"), 100);
  const kept = text.split("\n");
  assertEquals(kept.slice(0, 2), ["line 0", "line 1"]);
  assertEquals(kept.at(-1), "line 999");
  const [note = ""] = kept.filter((line) => !lines.includes(line));
  const left = Number(
    /^… ([\d,]+) characters/.exec(note)?.[1]?.replace(",", ""),
  );
  assertEquals(text.length - leftOut(left).length + left, total);
  assert(text.length > 80 && text.length < 150, text);
});

Deno.test("cutText() counts what an earlier cut has left out", () => {
  assertEquals(cutText("0123456789", 4, 1000).text, `01${leftOut(996)}89`);
});

Deno.test("head() and tail() do not split a surrogate pair", () => {
  assertEquals(head("a😀b", 2), "a");
  assertEquals(head("a😀b", 3), "a😀");
  assertEquals(tail("a😀b", 2), "b");
  assertEquals(tail("a😀b", 3), "😀b");
  assertEquals(head("abc", 0), "");
  assertEquals(tail("abc", 0), "");
  assertEquals(head("abc", 9), "abc");
  assertEquals(tail("abc", 9), "abc");
});
