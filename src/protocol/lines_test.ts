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

Deno.test("readLines() refuses a line over its limit, finished or not", async () => {
  await assertRejects(linesOf(["12345\n"], 4), RangeError);
  await assertRejects(linesOf(["123", "45"], 4), RangeError);
  assertEquals(await linesOf(["1234\n"], 4), ["1234"]);
});
