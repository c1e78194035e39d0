import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, assertEquals } from "../../deps/assert.ts";
import { leftOut } from "./cut.ts";
import { OutputLimiter, toLines } from "./output.ts";

Deno.test("OutputLimiter loses nothing up to the limit", () => {
  const text = "The 😀 quick 😀😀 brown\n";
  for (let size = 1; size <= text.length; size++) {
    for (const limit of [text.length, text.length + 1, 1000, Infinity]) {
      const { live, rest, total } = print(limit, pieces(text, size));
      assertEquals([live.join("") + rest, total], [text, text.length]);
    }
  }
});

Deno.test("OutputLimiter passes half of the limit at once", () => {
  const limiter = new OutputLimiter(10);
  assertEquals(limiter.push("abc"), "abc");
  assertEquals(limiter.push("defg"), "de");
  assertEquals(limiter.push("hij"), "");
  assertEquals(limiter.finish(), { rest: "fghij", total: 10 });
});

Deno.test("OutputLimiter passes all at once if there is no limit", () => {
  const limiter = new OutputLimiter(Infinity);
  assertEquals(limiter.push("x".repeat(1e6)).length, 1e6);
  assertEquals(limiter.finish(), { rest: "", total: 1e6 });
});

Deno.test("OutputLimiter keeps head and tail however the text is cut into pieces", () => {
  const text = Array.from({ length: 300 }, (_, n) => `${n}`).join(" ");
  for (const limit of [0, 1, 2, 7, 100, text.length - 1]) {
    const expected = text.slice(0, Math.ceil(limit / 2)) +
      leftOut(text.length - limit) +
      text.slice(text.length - Math.floor(limit / 2));
    for (let size = 1; size <= text.length; size += 13) {
      const { live, rest, total } = print(limit, pieces(text, size));
      assertEquals([live.join("") + rest, total], [expected, text.length]);
    }
  }
});

Deno.test("OutputLimiter never passes half of a surrogate pair", () => {
  const text = "a" + "😀".repeat(50);
  for (let limit = 0; limit <= text.length + 1; limit++) {
    for (const size of [1, 2, 3, 10, text.length]) {
      const { live, rest, total } = print(limit, pieces(text, size));
      assert([...live, rest].every((part) => part.isWellFormed()));
      assertEquals(total, text.length);
      assert((live.join("") + rest).startsWith("a😀") || limit < 6);
    }
  }
});

Deno.test("OutputLimiter hands on a lone half in the end", () => {
  const { live, rest, total } = print(100, ["a\ud83d", "b", "c\ud83d"]);
  assertEquals([live, rest, total], [["a", "\ud83db", "c"], "\ud83d", 5]);
});

Deno.test("OutputLimiter counts a flood exactly and keeps its end", () => {
  const limiter = new OutputLimiter(100_000);
  const line = "y".repeat(99) + "\n";
  for (let n = 0; n < 1_000_000; n++) limiter.push(line);
  limiter.push("the end");
  const { rest, total } = limiter.finish();
  assertEquals(total, 100_000_007);
  assert(
    rest.startsWith(
      "\n… 99,900,007 characters left out …\n",
    ),
  );
  assert(rest.endsWith("y\nthe end"));
  assertEquals(rest.length, 50_000 + leftOut(99_900_007).length);
});

Deno.test("OutputLimiter keeps no more in memory than it may pass on, however it comes", () => {
  const limiter = new OutputLimiter(1000);
  const others: OutputLimiter[] = [];
  const before = heapBytes();
  for (let at = 0; at < 300_000; at++) limiter.push(`line ${at}\n`);
  for (let at = 0; at < 20; at++) {
    const other = new OutputLimiter(1000);
    other.push(`${at}`.repeat(1_000_000));
    others.push(other);
  }
  const grown = heapBytes() - before;
  assert(grown < 5_000_000, `${grown} bytes`);
  for (const one of [limiter, ...others]) {
    assert(one.finish().rest.length < 1000);
  }
});

/** Bytes in use, without what is garbage. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed;
}

Deno.test("toLines() splits at newlines and drops them", () => {
  assertEquals(toLines(""), []);
  assertEquals(toLines("a"), ["a"]);
  assertEquals(toLines("a\n"), ["a"]);
  assertEquals(toLines("a\n\n"), ["a", ""]);
  assertEquals(toLines("\n"), [""]);
  assertEquals(toLines("a\nb"), ["a", "b"]);
});

Deno.test("toLines() knows Windows newlines, and takes a line as it is after its last carriage return", () => {
  assertEquals(toLines("a\r\nb\r\n"), ["a", "b"]);
  assertEquals(toLines("10%\r20%\r\nend"), ["20%", "end"]);
});

function print(limit: number, pieces: string[]) {
  const limiter = new OutputLimiter(limit);
  const live = pieces.map((piece) => limiter.push(piece));
  return { live, ...limiter.finish() };
}

function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
}
