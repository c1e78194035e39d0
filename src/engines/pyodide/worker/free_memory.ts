// deno-lint-ignore-file camelcase -- Emscripten's names

const LARGEST = 256 * 1024;
const PAGE = 4096;

/** The part of the Emscripten module that this file uses. */
interface Allocator {
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
  _emscripten_get_sbrk_ptr(): number;
}

/**
 * Writes zeros over Python's free memory, so that no snapshot or checkpoint keeps any of it: takes
 * all free blocks that can cover a page, the largest first, and gives them back.
 * Does nothing in versions without an allocator to call, such as 0.27.
 */
export function clearFreeMemory(module: Partial<Allocator>): void {
  if (!isAllocator(module)) return;
  const place = module._emscripten_get_sbrk_ptr();
  const end = new DataView(module.HEAPU8.buffer).getUint32(place, true);
  const taken: number[] = [];
  for (let size = LARGEST; size >= PAGE; size -= PAGE) {
    let block = module._malloc(size);
    // Beyond the end memory is new, and zero.
    for (; block !== 0 && block + size <= end; block = module._malloc(size)) {
      module.HEAPU8.fill(0, block, block + size);
      taken.push(block);
    }
    module._free(block);
  }
  taken.forEach((block) => module._free(block));
}

function isAllocator(module: Partial<Allocator>): module is Allocator {
  return "_malloc" in module && "_emscripten_get_sbrk_ptr" in module;
}
