// deno-lint-ignore-file camelcase -- Emscripten's names

import { PAGE, type SavedMemory } from "../../checkpoint_format.ts";
import {
  type EmscriptenMemory,
  growTo,
  type OpenSnapshot,
  type Range,
  toCopy,
} from "../snapshot.ts";

/** Pages that are compared at a time. */
const BLOCK = 1 << 20;

/** Two memories, compared page by page: see `pages.wat`. */
const CODE =
  "AGFzbQEAAAABDAJgAn9/AX9gAX8BfwIPAgFlAWECAAABZQFiAgAAAwMCAAEHDwIEc2FtZQAABHplcm8AAQpoAjgBAX8gAEGAIGohAgNAIAApAwAgASlDAQBSBEBBAA8LIABBCGohACABQQhqIQEgACACRw0AC0EBCy0BAX8gAEGAIGohAQNAIAApAwBCAFIEQEEADwsgAEEIaiEAIAAgAUcNAAtBAQs=";

/** The part of the Emscripten module that this file uses; old versions lack the stack. */
interface Stack {
  _emscripten_stack_get_end?(): number;
  _emscripten_stack_get_current?(): number;
}

/** Finds the pages that differ from those of the snapshot; below the stack's end nothing is alive. */
export function diffMemory(
  module: EmscriptenMemory & Stack,
  memory: WebAssembly.Memory,
  { bytes, head, ranges: known }: OpenSnapshot,
): Pick<SavedMemory, "memory" | "ranges" | "zeros"> {
  const other = new WebAssembly.Memory({ initial: BLOCK / 65_536 });
  const { same, zero } = compare(memory, other);
  const target = new Uint8Array(other.buffer);
  const copy = toCopy(bytes);
  const size = module.HEAPU8.length;
  const low = module._emscripten_stack_get_end?.() ?? 0;
  const high = module._emscripten_stack_get_current?.() ?? 0;
  const isDead = (page: number) => page >= low && page + PAGE <= high;
  const ranges: Range[] = [];
  const zeros: Range[] = [];
  let at = head;
  let end = 0;
  for (const [offset, length] of [...known, [size, 0] as const]) {
    for (let page = end; page < offset; page += PAGE) {
      if (!isDead(page) && !zero(page)) addPage(ranges, page);
    }
    for (let done = 0; done < length; done += BLOCK) {
      const block = Math.min(BLOCK, length - done);
      copy(at + done, target.subarray(0, block));
      for (let place = 0; place < block; place += PAGE) {
        const page = offset + done + place;
        if (isDead(page) || same(page, place)) continue;
        addPage(zero(page) ? zeros : ranges, page);
      }
    }
    at += length;
    end = offset + length;
  }
  return { memory: size, ranges, zeros };
}

export function addPage(ranges: Range[], page: number): void {
  const last = ranges.at(-1);
  if (last && last[0] + last[1] === page) last[1] += PAGE;
  else ranges.push([page, PAGE]);
}

interface Comparison {
  same(page: number, place: number): number;
  zero(page: number): number;
}

export function compare(
  a: WebAssembly.Memory,
  b: WebAssembly.Memory,
): Comparison {
  const module = new WebAssembly.Module(Uint8Array.fromBase64(CODE));
  const { exports } = new WebAssembly.Instance(module, { e: { a, b } });
  return exports as unknown as Comparison;
}

/** Puts the pages of a session over those of its snapshot. */
export function applyPages(
  module: EmscriptenMemory,
  { memory, ranges, zeros, body }: SavedMemory & { body: Uint8Array },
): void {
  growTo(module, memory);
  const heap = module.HEAPU8;
  let at = 0;
  for (const [offset, length] of ranges) {
    heap.set(body.subarray(at, at += length), offset);
  }
  for (const [offset, length] of zeros) heap.fill(0, offset, offset + length);
}
