import { assertEquals } from "../../deps/assert.ts";
import { formatBytes, formatTime } from "./elements.ts";

Deno.test("formatBytes() writes a size with the unit that fits", () => {
  assertEquals(
    [0, 1023, 1024, 15 * 1024, 2 ** 20, 2 ** 31, 2 ** 50].map(formatBytes),
    [
      "0 B",
      "1023 B",
      "1.0 KiB",
      "15 KiB",
      "1.0 MiB",
      "2.0 GiB",
      "1,048,576 GiB",
    ],
  );
});

Deno.test("formatTime() writes a time with the unit that fits", () => {
  assertEquals(
    [3.4, 999, 5000, 12_346, 90_000, 3_700_000].map(formatTime),
    ["3 ms", "999 ms", "5 s", "12.35 s", "1 min 30 s", "1 h 1 min"],
  );
});
