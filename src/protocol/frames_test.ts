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
    assertThrows(() => decodeFrame(bytes(line)), TypeError);
  }
});

Deno.test("decodeFrame() tells a header in an error as text of bounded length", () => {
  const said = (() => {
    try {
      decodeFrame(bytes(`\x1e"\x07é${"x".repeat(1e6)}`));
    } catch (error) {
      return String(error);
    }
  })();
  assertEquals(
    said,
    `TypeError: Cannot read frame header "\\"\\u0007??${"x".repeat(27)}"`,
  );
});

Deno.test("decodeFrame() leaves the payload as it is, whatever is in it", () => {
  const line = new Uint8Array([...bytes("\x1efrom 0 "), 0xff, 0x20, 0x1e]);
  const frame = decodeFrame(line);
  assertEquals([frame.kind, frame.id, [...frame.payload]], [
    ...["from", 0, [0xff, 0x20, 0x1e]],
  ]);
  assertThrows(() => readPayload(frame), TypeError);
});
