import { assertEquals } from "../../../deps/assert.ts";
import { SharedInput } from "./shared_input.ts";

/** An input of texts, each as its reading gives it. */
function open(texts: (string | null)[], isTerminal = false): SharedInput {
  const encoder = new TextEncoder();
  return new SharedInput({
    read(buffer) {
      const text = texts.shift() ?? null;
      return Promise.resolve(
        text === null ? null : encoder.encodeInto(text, buffer).written,
      );
    },
  }, isTerminal);
}

async function take(input: SharedInput, most?: number): Promise<unknown> {
  const bytes = await input.take(most);
  return bytes && new TextDecoder().decode(bytes);
}

Deno.test("SharedInput.take() gives a line, or the part of it that there is", async () => {
  const input = open(["one\ntwo\r\nth", "ree", "\n"]);
  const taken = [];
  for (let count = 0; count < 6; count++) taken.push(await take(input));
  assertEquals(taken, ["one\n", "two\r\n", "th", "ree", "\n", null]);
  const short = open(["four\n"]);
  assertEquals([await take(short, 3), await take(short, 3)], ["fou", "r\n"]);
});

Deno.test("SharedInput.take() ends a line of a terminal at the return key, and goes on after its end", async () => {
  const input = open(["one\rtwo\r", null, "three\n"], true);
  const taken = [];
  for (let count = 0; count < 4; count++) taken.push(await take(input));
  assertEquals(taken, ["one\n", "two\n", null, "three\n"]);
});

Deno.test("SharedInput.take() gives what comes to the last taker", async () => {
  const reading = Promise.withResolvers<number>();
  const reads: Uint8Array[] = [];
  const input = new SharedInput({
    read(buffer) {
      reads.push(buffer);
      return reading.promise;
    },
  }, true);
  const both = Promise.all([take(input), take(input)]);
  reads[0]?.set(new TextEncoder().encode("typed"));
  reading.resolve(5);
  assertEquals(await both, [null, "typed"]);
  assertEquals(reads.length, 1);
});
