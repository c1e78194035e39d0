import { assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { maybeText, toText } from "./utf8.ts";

/** Bytes, and what CPython says of them. */
const FAULTS = [
  [
    "ff",
    "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
  ],
  [
    "6180",
    "'utf-8' codec can't decode byte 0x80 in position 1: invalid start byte",
  ],
  [
    "c328",
    "'utf-8' codec can't decode byte 0xc3 in position 0: invalid continuation byte",
  ],
  [
    "6162e282",
    "'utf-8' codec can't decode bytes in position 2-3: unexpected end of data",
  ],
  [
    "e228a1",
    "'utf-8' codec can't decode byte 0xe2 in position 0: invalid continuation byte",
  ],
  [
    "e28228",
    "'utf-8' codec can't decode bytes in position 0-1: invalid continuation byte",
  ],
  [
    "eda080",
    "'utf-8' codec can't decode byte 0xed in position 0: invalid continuation byte",
  ],
  [
    "f09080",
    "'utf-8' codec can't decode bytes in position 0-2: unexpected end of data",
  ],
  [
    "f09f9878",
    "'utf-8' codec can't decode bytes in position 0-2: invalid continuation byte",
  ],
  [
    "f4908080",
    "'utf-8' codec can't decode byte 0xf4 in position 0: invalid continuation byte",
  ],
  [
    "c080",
    "'utf-8' codec can't decode byte 0xc0 in position 0: invalid start byte",
  ],
  [
    "c3a9f5",
    "'utf-8' codec can't decode byte 0xf5 in position 2: invalid start byte",
  ],
  [
    "e08080",
    "'utf-8' codec can't decode byte 0xe0 in position 0: invalid continuation byte",
  ],
  [
    "f0808080",
    "'utf-8' codec can't decode byte 0xf0 in position 0: invalid continuation byte",
  ],
  [
    "c3",
    "'utf-8' codec can't decode byte 0xc3 in position 0: unexpected end of data",
  ],
] as const;

for (const [hex, message] of FAULTS) {
  Deno.test(`toText() of ${hex}: ${message}`, () => {
    const bytes = Uint8Array.fromHex(hex);
    assertThrows(() => toText(bytes), { type: "UnicodeDecodeError", message });
    assertEquals(maybeText(bytes), undefined);
  });
}

Deno.test("toText() keeps a byte order mark, NUL and line ends", () => {
  const text = "\ufeffa\0b\r\n😀";
  assertEquals(toText(new TextEncoder().encode(text)), text);
});
