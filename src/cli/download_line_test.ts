import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { MIB } from "../units.ts";
import { type Download, toDownloadLine } from "./install_progress.ts";

const DONE: Download = { received: MIB, total: MIB, state: "done" };
const HALF: Download = { received: 6 * MIB, total: 12 * MIB, state: "running" };
const EXPECTED: Download = { received: 0, total: MIB, state: "expected" };
const PACE = { seconds: 3, received: 6 * MIB };

Deno.test("toDownloadLine() shows count, share, amount, rate and time left", () => {
  assertMatch(
    toDownloadLine([DONE, HALF, EXPECTED], PACE, 100),
    /^Downloading 2 of 3 {2}█{12}░{12} +7\.0\/14\.0 MiB +2\.0 MiB\/s +0:04$/,
  );
});

Deno.test("toDownloadLine() is shorter than the terminal is wide, and never jumps", () => {
  const slow = { seconds: 1e6, received: 1 };
  for (let columns = 0; columns <= 200; columns++) {
    const [one, other] = [PACE, slow].map((pace) =>
      toDownloadLine([DONE, HALF], pace, columns)
    );
    assert(String(one).length <= Math.max(0, columns - 1));
    assertEquals(one?.length, other?.length);
  }
});

Deno.test("toDownloadLine() leaves out its bar, time, rate and amount in this order", () => {
  const lineOf = (columns: number) => toDownloadLine([HALF], PACE, columns);
  assertMatch(lineOf(66), /^Downloading 1 of 1 {2}█{4}░{4} .* 0:03$/);
  assertMatch(
    lineOf(56),
    /^Downloading 1 of 1 +6\.0\/12\.0 MiB +2\.0 MiB\/s {2} +0:03$/,
  );
  assertMatch(lineOf(55), /^Downloading 1 of 1 +6\.0\/12\.0 MiB +2\.0 MiB\/s$/);
  assertMatch(lineOf(35), /^Downloading 1 of 1 +6\.0\/12\.0 MiB$/);
  assertEquals(lineOf(19), "Downloading 1 of 1");
  assertEquals(lineOf(12), "Downloading");
});

Deno.test("toDownloadLine() of an unknown size shows what came", () => {
  const unknown: Download = { received: 6 * MIB, state: "running" };
  assertMatch(
    toDownloadLine([DONE, unknown], PACE, 80),
    /^Downloading 2 of 2 +·+ +7\.0 MiB +2\.0 MiB\/s *$/,
  );
});

Deno.test("toDownloadLine() of nothing, and of more than there should be, is whole", () => {
  const empty: Download = { received: 0, total: 0, state: "running" };
  const start = { seconds: 0, received: 0 };
  assertMatch(toDownloadLine([empty], start, 80), / █+ +0\/0 KiB *$/);
  const more = { ...HALF, received: 13 * MIB };
  assertMatch(toDownloadLine([more], PACE, 80), / █+ +13\.0\/12\.0 .* 0:00$/);
});
