import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { boundStream } from "./bound_stream.ts";
import { TooLarge } from "./failures.ts";

const rewrite = (text: string) => text;

function bound(pieces: string[], isStream: boolean) {
  const ends: unknown[] = [];
  let bytes = 0;
  const body = boundStream(
    ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()),
    {
      ...{ maxBytes: 10, isStream, rewrite },
      onBytes: (count) => bytes += count,
      onEnd: (error) => ends.push(error),
    },
  );
  return { text: new Response(body).text(), ends, count: () => bytes };
}

Deno.test("boundStream() bounds a body as a whole", async () => {
  const { text, ends, count } = bound(["01234", "56789"], false);
  assertEquals(await text, "0123456789");
  assertEquals([ends, count()], [[undefined], 10]);
  const longer = bound(["01234", "\n\n", "01234"], false);
  await assertRejects(longer.text, TooLarge);
  assertEquals(longer.ends.map((error) => error instanceof TooLarge), [true]);
});

Deno.test("boundStream() bounds each event of a stream", async () => {
  for (const end of ["\n\n", "\r\n\r\n"]) {
    const event = `data: 1${end}`;
    for (const pieces of [[event.repeat(5)], [...event.repeat(5)]]) {
      const { text } = bound(pieces, true);
      assertEquals(await text, event.repeat(5));
    }
    await assertRejects(bound(["data: 0", "12345", end], true).text, TooLarge);
  }
});

Deno.test("boundStream() passes events on by whole lines, however they drip", async () => {
  const text = 'data: {"a": 1}\r\n\r\ndata: 2\n\ndata: 3';
  const drips = ReadableStream.from([...text])
    .pipeThrough(new TextEncoderStream());
  const passed = await Array.fromAsync(
    boundStream(drips, {
      ...{ maxBytes: 100, isStream: true, rewrite },
      ...{ onBytes() {}, onEnd() {} },
    }).pipeThrough(new TextDecoderStream()),
  );
  assertEquals(passed, text.split(/(?<=\n)/));
});

Deno.test("boundStream() ends once, with an error, if its reader leaves", async () => {
  for (const isWaiting of [false, true]) {
    const ends: unknown[] = [];
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const bounded = boundStream(body, {
      ...{ maxBytes: 10, isStream: true, rewrite },
      ...{ onBytes() {}, onEnd: (error) => void ends.push(error) },
    });
    const reader = bounded.getReader();
    const reading = isWaiting ? reader.read() : undefined;
    await reader.cancel();
    await reading;
    assertEquals(ends.map((error) => error instanceof Error), [true]);
  }
});
