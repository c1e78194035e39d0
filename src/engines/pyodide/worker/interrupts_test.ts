import { assertEquals } from "../../../../deps/assert.ts";
import { toSignalBuffer } from "./interrupts.ts";

Deno.test("toSignalBuffer() keeps an interrupt that comes between reading and clearing", () => {
  const byte = new Uint8Array(new SharedArrayBuffer(1));
  const buffer = toSignalBuffer(byte, { isHeld: false });
  assertEquals(buffer[0], 0);
  // Another thread does this meanwhile.
  byte[0] = 2;
  buffer[0] = 0;
  assertEquals(byte[0], 2);
  assertEquals(buffer[0], 2);
  buffer[0] = 0;
  assertEquals([byte[0], buffer[0]], [0, 0]);
});

Deno.test("toSignalBuffer() leaves an interrupt that was only looked at", () => {
  const byte = new Uint8Array(new SharedArrayBuffer(1));
  const buffer = toSignalBuffer(byte, { isHeld: false });
  byte[0] = 2;
  assertEquals([buffer[0], buffer[0], byte[0]], [2, 2, 2]);
});
