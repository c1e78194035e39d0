import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { withLimits, withoutCustomSections } from "./binary.ts";

const CORE = [0, 97, 115, 109, 1, 0, 0, 0];

function moduleOf(...sections: number[][]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...CORE,
    ...sections.flatMap(([id = 0, ...rest]) => [id, rest.length, ...rest]),
  ]);
}

Deno.test("withLimits() lowers the maximum of a memory, or writes one", async () => {
  // One memory of a page, exported as "m".
  const exports = [7, 1, 1, 109, 2, 0];
  for (const memory of [[5, 1, 0, 1], [5, 1, 1, 1, 0x80, 0x80, 4]]) {
    const limited = withLimits(moduleOf(memory, exports), 3);
    const { instance } = await WebAssembly.instantiate(limited);
    const grown = instance.exports.m;
    assert(grown instanceof WebAssembly.Memory);
    grown.grow(2);
    assertThrows(() => grown.grow(1), RangeError);
  }
  const small = moduleOf([5, 1, 1, 1, 2]);
  assertEquals(withLimits(small, 16), small);
});

Deno.test("withLimits() lowers the maximum of a table", async () => {
  const exports = [7, 1, 1, 116, 1, 0];
  const bytes = moduleOf([4, 1, 0x70, 0, 1], exports);
  const { instance } = await WebAssembly.instantiate(withLimits(bytes, 1));
  const table = instance.exports.t;
  assert(table instanceof WebAssembly.Table);
  table.grow(999_999);
  assertThrows(() => table.grow(1), RangeError);
});

Deno.test("withLimits() refuses memories and tables that it cannot bound", () => {
  const cases: [number[], RegExp][] = [
    [[5, 1, 0, 100], /begins with 6.25 MiB of memory, and may have 1 MiB/],
    [[5, 2, 0, 1, 0, 1], /a module of 2 memories/],
    [[5, 1, 3, 1, 2], /shared, or larger than 4 GiB/],
    [[5, 1, 4, 1], /shared, or larger than 4 GiB/],
    [[4, 1, 0x70, 0, 0x80, 0xad, 0xe2, 4], /a table of 10000000 entries/],
    [[4, 1, 0x6e, 0, 1], /a kind that is not known: 110/],
    [[4, 1, 0x70, 2, 1, 1], /a table that is shared/],
    [[5, 1, 0], /no number at byte/],
  ];
  for (const [section, message] of cases) {
    assertThrows(() => withLimits(moduleOf(section), 16), { message });
  }
  const cut = moduleOf([5, 1, 0, 1]).subarray(0, 11);
  assertThrows(() => withLimits(cut, 16), RangeError);
});

Deno.test("withoutCustomSections() keeps all else", () => {
  const bare = moduleOf([5, 1, 0, 1]);
  const bytes = moduleOf([0, 1, 97, 5], [5, 1, 0, 1], [0, 1, 97]);
  assertEquals(withoutCustomSections(bytes), bare);
});
