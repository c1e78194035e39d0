import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { MIB } from "../units.ts";
import { type Download, toDownloadLine } from "./install_progress.ts";

const DONE: Download = { received: MIB, total: MIB, state: "done" };
const HALF: Download = { received: 6 * MIB, total: 12 * MIB, state: "running" };
const EXPECTED: Download = { received: 0, total: MIB, state: "expected" };
const PACE = { seconds: 3, received: 6 * MIB };

Deno.test("toDownloadLine() shows count, amount, rate and time left", () => {
  assertEquals(
    toDownloadLine([DONE, HALF, EXPECTED], PACE, 100),
    "Downloading 2 of 3  7.0 MiB of 14.0 MiB  2.0 MiB/s  0:04",
  );
});

Deno.test("toDownloadLine() is shorter than the terminal is wide", () => {
  for (let columns = 0; columns <= 100; columns++) {
    const { length } = toDownloadLine([DONE, HALF], PACE, columns);
    assert(length <= Math.max(0, columns - 1));
  }
});

Deno.test("toDownloadLine() of an unknown size shows what came", () => {
  const unknown: Download = { received: 6 * MIB, state: "running" };
  assertEquals(
    toDownloadLine([DONE, unknown], PACE, 80),
    "Downloading 2 of 2  7.0 MiB  2.0 MiB/s",
  );
});

Deno.test("toDownloadLine() of nothing, and of more than there should be, is whole", () => {
  const empty: Download = { received: 0, total: 0, state: "running" };
  const start = { seconds: 0, received: 0 };
  assertEquals(
    toDownloadLine([empty], start, 80),
    "Downloading 1 of 1  0 KiB of 0 KiB",
  );
  const more = { ...HALF, received: 13 * MIB };
  assertMatch(toDownloadLine([more], PACE, 80), / 13\.0 MiB of 12.* 0:00$/);
});
