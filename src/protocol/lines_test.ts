import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { joinShort, readLines } from "./lines.ts";

async function linesOf(chunks: string[], maxBytes = 100): Promise<string[]> {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const lines = await Array.fromAsync(
    readLines(ReadableStream.from(bytes), maxBytes),
  );
  return lines.map((line) => new TextDecoder().decode(line));
}

Deno.test("readLines() joins what chunks have split, and splits what they join", async () => {
  assertEquals(await linesOf(["a", "b\nc\n\n", "d", "", "e", "\n"]), [
    "ab",
    "c",
    "",
    "de",
  ]);
});

Deno.test("readLines() drops a line that its writer did not finish", async () => {
  assertEquals(await linesOf(["a\nhalf"]), ["a"]);
});

Deno.test("readLines() leaves a line over its limit out, if told to, and reads on", async () => {
  const read = async (chunks: string[]) => {
    const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const longer: number[] = [];
    const lines = await Array.fromAsync(
      readLines(ReadableStream.from(bytes), 4, {
        onLonger: (bytes) => longer.push(bytes),
      }),
    );
    return [lines.map((line) => new TextDecoder().decode(line)), longer];
  };
  assertEquals(await read(["12345\nab\n"]), [["ab"], [5]]);
  assertEquals(await read(["12", "345", "6789", "\nab\n"]), [["ab"], [9]]);
  assertEquals(await read(["1234\n12345"]), [["1234"], []]);
});

Deno.test("readLines() refuses a line over its limit, finished or not", async () => {
  await assertRejects(linesOf(["12345\n"], 4), RangeError);
  await assertRejects(linesOf(["123", "45"], 4), RangeError);
  assertEquals(await linesOf(["1234\n"], 4), ["1234"]);
});

Deno.test("joinShort() joins pieces up to a size, and leaves a longer piece alone", () => {
  const pieces = [2, 2, 1, 9, 1, 4].map((bytes) => new Uint8Array(bytes));
  const sizes = [...joinShort(pieces, 5)].map(({ length }) => length);
  assertEquals(sizes, [5, 9, 5]);
});
