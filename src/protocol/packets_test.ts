import {
  assertEquals,
  assertRejects,
  assertThrows,
} from "../../deps/assert.ts";
import { type ByteSource, concat } from "./lines.ts";
import {
  decodePacket,
  encodePacket,
  joinPacket,
  type Packet,
  readPackets,
} from "./packets.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const MOST = { line: 100, body: 100 };

function read(
  chunks: Uint8Array<ArrayBuffer>[],
  most = MOST,
  start?: (line: Uint8Array) => number,
): Promise<Packet[]> {
  return Array.fromAsync(readPackets(ReadableStream.from(chunks), most, start));
}

/** Each byte in a chunk of its own. */
const crumbs = (whole: Uint8Array<ArrayBuffer>) =>
  Array.from(whole, (byte) => new Uint8Array([byte]));

Deno.test("a packet comes back as it went, with its bytes, however the stream is cut", async () => {
  const body = new Uint8Array([10, 0x1e, 43, 0, 255]);
  const sent = concat([
    ...encodePacket({ text: "é\n" }),
    ...encodePacket({ ask: 2 }, body),
    ...encodePacket({}, new Uint8Array()),
    ...encodePacket([3]),
  ]);
  for (const chunks of [[sent], crumbs(sent)]) {
    const packets = await read(chunks);
    assertEquals(packets.map(decodePacket), [{ text: "é\n" }, { ask: 2 }, {}, [
      3,
    ]]);
    assertEquals(packets.map(({ body }) => body && [...body]), [
      ...[undefined, [...body], [], undefined],
    ]);
    assertEquals(concat(packets.flatMap((packet) => joinPacket(packet))), sent);
  }
});

/** Fills a buffer by so many bytes at a time, and moves its memory, as a pipe does. */
function toPipe(bytes: Uint8Array<ArrayBuffer>, most: number): ByteSource {
  let at = 0;
  const take = (size: number) => bytes.subarray(at, at += size);
  return {
    async *[Symbol.asyncIterator]() {
      while (at < bytes.length) yield take(Math.min(most, bytes.length - at));
    },
    fill(room, place) {
      const some = take(Math.min(most, bytes.length - at, room.length - place));
      if (some.length === 0) return Promise.resolve(undefined);
      const moved = new Uint8Array(room.buffer.transfer());
      moved.set(some, place);
      return Promise.resolve([moved, some.length]);
    },
  };
}

Deno.test("readPackets() has a source fill its bodies, if it can", async () => {
  const body = new Uint8Array([10, 0x1e, 43, 0, 255]);
  const sent = concat([
    ...encodePacket({ ask: 1 }, body),
    ...encodePacket({}, new Uint8Array()),
    ...encodePacket({ ask: 2 }, body),
    ...encodePacket([3]),
  ]);
  for (const most of [1, 2, 7, 100]) {
    const packets = await Array.fromAsync(
      readPackets(toPipe(sent, most), MOST),
    );
    assertEquals(concat(packets.flatMap((one) => joinPacket(one))), sent);
  }
  const half = toPipe(sent.subarray(0, 12), 7);
  assertEquals(await Array.fromAsync(readPackets(half, MOST)), []);
});

Deno.test("encodePacket() writes bytes as they are", () => {
  assertEquals(
    text(concat(encodePacket({ a: 1 }, bytes("raw\n"), "token"))),
    'token+4 {"a":1}\nraw\n',
  );
});

Deno.test("readPackets() drops what its writer did not finish", async () => {
  const lines = (await read([bytes("1\n+3 2\nab")])).map(({ line }) =>
    text(line)
  );
  assertEquals(lines, ["1"]);
});

Deno.test("readPackets() refuses a longer line or body before it holds it", async () => {
  const most = { line: 10, body: 4 };
  await assertRejects(() => read([bytes("12345678901")], most), RangeError);
  await assertRejects(() => read([bytes("+5 {}\n")], most), RangeError);
  await assertRejects(() => read([bytes("+9999999 0\n")], most), RangeError);
  assertEquals((await read([bytes("+4 {}\n1234")], most)).length, 1);
});

Deno.test("readPackets() refuses a size of another form", async () => {
  for (
    const line of ["+", "+ {}", "+1", "+-1 {}", "+1e1 {}", "+0x1 {}", "++1 {}"]
  ) {
    await assertRejects(() => read([bytes(`${line}\n`)]), TypeError);
  }
  await assertRejects(() => read([bytes("+12345678901 {}\n")]), TypeError);
});

Deno.test("readPackets() looks for a size where the packet of a line starts", async () => {
  const start = (line: Uint8Array) => line[0] === 120 ? 1 : line.length;
  const packets = await read([bytes("x+2 1\nab+3 2\n")], MOST, start);
  assertEquals(
    packets.map(({ line, body }) => [text(line), body && text(body)]),
    [
      ["x+2 1", "ab"],
      ["+3 2", undefined],
    ],
  );
});

Deno.test("decodePacket() refuses what is not JSON in UTF-8", () => {
  assertThrows(() => decodePacket({ line: bytes("{") }), SyntaxError);
  assertThrows(
    () => decodePacket({ line: new Uint8Array([34, 255, 34]) }),
    TypeError,
  );
});
