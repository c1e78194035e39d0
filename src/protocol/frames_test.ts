import { assertEquals, assertThrows } from "../../deps/assert.ts";
import { decodeFrame, encodeFrame, isFrame, readPayload } from "./frames.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("a frame comes back as it went, without its newline", () => {
  const line = encodeFrame("to", 12, { text: "é\n\x1e" });
  assertEquals(line.at(-1), 10);
  assertEquals(line.indexOf(10), line.length - 1);
  const frame = decodeFrame(line.subarray(0, -1));
  assertEquals([frame.kind, frame.id], ["to", 12]);
  assertEquals(readPayload(frame), { text: "é\n\x1e" });
});

Deno.test("isFrame() is false for MCP", () => {
  assertEquals(isFrame(bytes('{"jsonrpc":"2.0"}')), false);
  assertEquals(isFrame(bytes("")), false);
});

Deno.test("decodeFrame() refuses a header outside the protocol", () => {
  for (
    const line of [
      "\x1e",
      "\x1espawn",
      "\x1eopen 1 {}",
      "\x1eto -1 {}",
      "\x1eto 1e9 x",
      "\x1e\xff\xff 1 ",
    ]
  ) {
    assertThrows(() => decodeFrame(bytes(line)), TypeError, line);
  }
});
