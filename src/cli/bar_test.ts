import { MIB } from "../units.ts";
import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import { toBar } from "./bar.ts";

const half = {
  file: "rich-14.3.3-py3-none-any.whl",
  received: 6 * MIB,
  total: 12 * MIB,
  started: 1000,
  now: 4000,
};

Deno.test("toBar() shows share, amount, rate and time left", () => {
  assertMatch(
    toBar(half, 100),
    /^rich-14\.3\.3.*whl +█+░+ +50% +6\.0\/12\.0 MiB +2\.0 MiB\/s +0:03$/,
  );
});

Deno.test("toBar() is shorter than the terminal is wide, however narrow", () => {
  const file = `${"very_long_name".repeat(20)}.whl`;
  for (let columns = 0; columns <= 200; columns++) {
    assertEquals(
      toBar({ ...half, file }, columns).length,
      Math.max(0, columns - 1),
    );
  }
});

Deno.test("toBar() keeps both ends of a long name", () => {
  const file =
    "pydantic_core-2.41.5-cp314-cp314-pyemscripten_2026_0_wasm32.whl";
  assertMatch(toBar({ ...half, file }, 80), /^pydantic\S*…\S*32\.whl +█/);
});

Deno.test("toBar() of an unknown size shows what there is", () => {
  const { total: _, ...unknown } = half;
  assertMatch(toBar(unknown, 80), /whl +·+ +\? +6\.0 MiB +2\.0 MiB\/s *$/);
});

Deno.test("toBar() of nothing, and of more than there should be, is whole", () => {
  const empty = { ...half, received: 0, total: 0, now: half.started };
  assertMatch(toBar(empty, 80), /█ 100% +0\/0 KiB *$/);
  assertMatch(toBar({ ...half, received: 13 * MIB }, 80), /█ 100% .* 0:00$/);
});

Deno.test("toBar() does not write what moves the cursor", () => {
  const file = "a\x1b[2J\r\nb\u{1f40d}.whl";
  // deno-lint-ignore no-control-regex
  assert(!/[\x00-\x1f]/.test(toBar({ ...half, file }, 80)));
});
