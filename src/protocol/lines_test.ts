import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { readLines } from "./lines.ts";

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

Deno.test("readLines() cuts a line over its limit, if told to, and reads on", async () => {
  const linesOfCut = async (chunks: string[]) => {
    const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
    const source = ReadableStream.from(bytes);
    const lines = await Array.fromAsync(readLines(source, 4, { cutTo: 3 }));
    return lines.map((line) => new TextDecoder().decode(line));
  };
  assertEquals(await linesOfCut(["12345\nab\n"]), ["123", "ab"]);
  assertEquals(await linesOfCut(["12", "345", "6789", "\nab\n"]), [
    "123",
    "ab",
  ]);
});

Deno.test("readLines() refuses a line over its limit, finished or not", async () => {
  await assertRejects(linesOf(["12345\n"], 4), RangeError);
  await assertRejects(linesOf(["123", "45"], 4), RangeError);
  assertEquals(await linesOf(["1234\n"], 4), ["1234"]);
});
