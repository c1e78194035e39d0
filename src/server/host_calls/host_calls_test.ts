import { assertEquals, assertThrows } from "../../../deps/assert.ts";
import { parseProgress } from "./host_calls.ts";

Deno.test("parseProgress() reads what our own code sends", () => {
  const sent = { message: "m", progress: 0, total: null, drawn: true };
  assertEquals(parseProgress(sent), {
    message: "m",
    progress: 0,
    isDrawn: true,
  });
  assertEquals(parseProgress({ message: "m", total: 2.5, more: 1 }), {
    message: "m",
    total: 2.5,
    isDrawn: false,
  });
});

Deno.test("parseProgress() makes a message one short line", () => {
  const lines = "a\r\n\tb\x1b[2J\u2028c\ud800" + "x".repeat(2000);
  const { message } = parseProgress({ message: lines });
  assertEquals(message.slice(0, 12), "a b [2J c\ufffdxx");
  assertEquals(message.length < 1010, true);
});

Deno.test("parseProgress() refuses lies", () => {
  for (const lie of [null, 1, [], "m", {}, { message: 1 }]) {
    assertThrows(() => parseProgress(lie), TypeError);
  }
  for (const progress of [NaN, Infinity, -1, "1", 2 ** 53, [], {}, true]) {
    assertThrows(() => parseProgress({ message: "m", progress }), RangeError);
    assertThrows(
      () => parseProgress({ message: "m", total: progress }),
      RangeError,
    );
  }
});
