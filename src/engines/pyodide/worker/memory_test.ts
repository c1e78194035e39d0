import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { capMemory } from "./memory.ts";

const PAGE = 65_536;

/** A memory of one page that may grow to three; removes the cap when it is disposed. */
function cappedMemory() {
  const { grow } = WebAssembly.Memory.prototype;
  capMemory(3 * PAGE);
  return {
    memory: new WebAssembly.Memory({ initial: 1, maximum: 10 }),
    [Symbol.dispose]() {
      WebAssembly.Memory.prototype.grow = grow;
    },
  };
}

function growBy(memory: WebAssembly.Memory, pages: unknown): unknown {
  return Reflect.apply(memory.grow, memory, [pages]);
}

Deno.test("capMemory() lets memory grow as far as it may, and no page further", () => {
  using capped = cappedMemory();
  const { memory } = capped;
  assertEquals([memory.grow(1), memory.grow(1)], [1, 2]);
  assertThrows(() => memory.grow(1), RangeError);
  assertEquals([memory.grow(0), memory.buffer.byteLength], [3, 3 * PAGE]);
});

Deno.test("capMemory() believes no number that is another one when it is asked again", () => {
  using capped = cappedMemory();
  const { memory } = capped;
  let asked = 0;
  const odd = { valueOf: () => asked++ === 0 ? 0 : 9 };
  try {
    growBy(memory, odd);
  } catch {
    // A refusal is right as well.
  }
  for (const pages of ["9", [9], 2.5 + 1, 2 ** 32 + 5]) {
    assertThrows(() => growBy(memory, pages));
  }
  assertEquals(memory.buffer.byteLength, PAGE);
});

Deno.test("capMemory() believes no size that code has written over a memory's own", () => {
  using capped = cappedMemory();
  const { memory } = capped;
  Object.defineProperty(memory, "buffer", {
    value: { byteLength: -9 * PAGE },
    configurable: true,
  });
  assertThrows(() => memory.grow(9), RangeError);
  assert(Reflect.deleteProperty(memory, "buffer"));
  assertEquals(memory.buffer.byteLength, PAGE);
});
