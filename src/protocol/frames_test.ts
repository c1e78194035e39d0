import { assertEquals, assertThrows } from "../../deps/assert.ts";
import {
  decodeFrame,
  encodeFrame,
  isFrame,
  packetStart,
  TO_BROKER,
  TO_SERVER,
  wrapPacket,
} from "./frames.ts";
import { concat } from "./lines.ts";
import { decodePacket, type Packet, readPackets } from "./packets.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

const read = (line: string) => decodeFrame({ line: bytes(line) }, TO_BROKER);
const MOST = { line: 100, body: 100 };

function split(...frames: Uint8Array<ArrayBuffer>[]): Promise<Packet[]> {
  const source = ReadableStream.from([concat(frames)]);
  return Array.fromAsync(readPackets(source, MOST, packetStart));
}

Deno.test("a frame comes back as it went, with the bytes behind it", async () => {
  const message = { text: "é\n\x1e" };
  const sent = [
    encodeFrame("to", 12, message),
    encodeFrame("to", 13, message, bytes("raw\n")),
    encodeFrame("kill", 14),
  ];
  const frames = (await split(...sent.flat())).map((one) =>
    decodeFrame(one, TO_BROKER)
  );
  assertEquals(frames.map(({ kind, id }) => [kind, id]), [
    ...[["to", 12], ["to", 13], ["kill", 14]],
  ]);
  assertEquals(frames.map(({ packet }) => decodePacket(packet)), [
    ...[message, message, {}],
  ]);
  assertEquals(frames[1]?.packet.body, bytes("raw\n"));
  const again = frames.map(({ kind, id, packet }) =>
    wrapPacket(kind, id, packet)
  );
  assertEquals(again, sent);
});

Deno.test("a line of a client has no bytes behind it", async () => {
  const lines = await split(bytes("+4 {}\n+4 {}\n"));
  assertEquals(lines.map(({ body }) => body), [undefined, undefined]);
});

Deno.test("isFrame() is false for MCP", () => {
  assertEquals(isFrame({ line: bytes('{"jsonrpc":"2.0"}') }), false);
  assertEquals(isFrame({ line: bytes("") }), false);
});

Deno.test("decodeFrame() knows the frames of one direction alone", () => {
  for (
    const [kind, from] of [["spawn", TO_SERVER], ["ended", TO_BROKER]] as const
  ) {
    const line = concat(encodeFrame(kind, 1)).subarray(0, -1);
    assertThrows(
      () => decodeFrame<typeof from[number]>({ line }, from),
      TypeError,
    );
  }
});

Deno.test("decodeFrame() refuses a header outside the protocol", () => {
  for (
    const line of [
      "\x1e",
      "\x1espawn",
      "\x1eopen 1 {}",
      "\x1eto -1 {}",
      "\x1eto 1e9 x",
      "\x1eto  {}",
      "\x1eto 1.5 {}",
      "\x1eto +1 {}",
      "\x1eto 0x1 {}",
      "\x1eto 1234567890 {}",
      `\x1eto ${"1".repeat(100)} {}`,
      "\x1eTo 1 {}",
      "\x1e to 1 {}",
      "\x1etoString 1 {}",
      "\x1eto\t1 {}",
      `\x1e${"to".repeat(100)} 1 {}`,
      "\x1e\xff\xff 1 ",
    ]
  ) {
    assertThrows(() => read(line), TypeError);
  }
});

Deno.test("decodeFrame() tells a header in an error as text of bounded length", () => {
  const said = (() => {
    try {
      read(`\x1e"\x07é${"x".repeat(1e6)}`);
    } catch (error) {
      return String(error);
    }
  })();
  assertEquals(
    said,
    `TypeError: Cannot read frame header "\\"\\u0007??${"x".repeat(27)}"`,
  );
});

Deno.test("decodeFrame() leaves the packet as it is, whatever is in it", () => {
  const line = new Uint8Array([...bytes("\x1efrom 0 "), 0xff, 0x20, 0x1e]);
  const { kind, id, packet } = decodeFrame({ line }, TO_SERVER);
  assertEquals([kind, id, [...packet.line]], [
    ...["from", 0, [0xff, 0x20, 0x1e]],
  ]);
});
