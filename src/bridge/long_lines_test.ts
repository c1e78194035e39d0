import { assert, assertEquals } from "../../deps/assert.ts";
import { readLongLines } from "./long_lines.ts";

async function read(text: string, maxBytes: number, piece: number) {
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / piece) },
    (_, at) => bytes.slice(at * piece, (at + 1) * piece),
  );
  return await Array.fromAsync(
    readLongLines(ReadableStream.from(pieces), maxBytes),
  );
}

Deno.test("readLongLines() gives whole lines, in pieces of any size", async () => {
  for (const piece of [1, 2, 3, 1000]) {
    assertEquals(await read("ab\n\nçd\nrest", 10, piece), [
      { bytes: 2, whole: "ab" },
      { bytes: 0, whole: "" },
      { bytes: 3, whole: "çd" },
    ]);
  }
});

Deno.test("readLongLines() keeps both ends of a longer line, and the next line whole", async () => {
  const line = "a".repeat(5000) + "b".repeat(5000);
  for (const piece of [7, 1000, 100_000]) {
    const [long, next] = await read(`${line}\nx\n`, 6000, piece);
    assertEquals(long, {
      bytes: 10_000,
      start: "a".repeat(4096),
      end: "b".repeat(4096),
    });
    assertEquals(next, { bytes: 1, whole: "x" });
  }
});

Deno.test("readLongLines() holds few bytes more than it was sent, in single bytes too", async () => {
  const PIECES = 60_000;
  let held = 0;
  async function* drips() {
    const before = Deno.memoryUsage().external;
    // A read gives a view of a buffer that is much larger.
    for (let at = 0; at < PIECES; at++) {
      yield await Promise.resolve(new Uint8Array(16_384).fill(97, 0, 1))
        .then((bytes) => bytes.subarray(0, 1));
    }
    held = Deno.memoryUsage().external - before;
    yield new Uint8Array([10]);
  }
  const [line] = await Array.fromAsync(readLongLines(drips(), 1 << 20));
  assertEquals(line, { bytes: PIECES, whole: "a".repeat(PIECES) });
  assert(held < 400 << 20, `${held >> 20} MiB are held`);
});
