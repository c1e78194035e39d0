// deno-lint-ignore-file camelcase -- Emscripten's names
import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { guardsStack } from "../versions.ts";

const PAGE_BYTES = 65_536;

/** The largest memory that WebAssembly has, less a page. */
export const MOST_BYTES: number = 2 ** 32 - PAGE_BYTES;

/**
 * Caps the size of WebAssembly memory, which is 4 GiB otherwise: beyond it Python
 * raises `MemoryError`, and the interpreter survives.
 */
export function capMemory(maxBytes: number): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (pages: number): number {
    // Convert once: an object may give another number the second time.
    const more = Number(pages);
    if (sizeOf(this) + more * PAGE_BYTES > maxBytes) {
      throw new RangeError(`Cannot grow memory beyond ${maxBytes} bytes`);
    }
    return grow.call(this, more);
  };
}

/** The true size of a memory: code can set a `buffer` of its own on it. */
function sizeOf(memory: WebAssembly.Memory): number {
  const { prototype } = WebAssembly.Memory;
  const buffer: unknown = Reflect.get(prototype, "buffer", memory);
  return Number(Reflect.get(Object(buffer), "byteLength"));
}

/** The stack that Deno's usual flags leave Python, however it is filled. */
const USUAL_KIB = 64;

/**
 * Makes a function that bounds Python's stack below its caller, or that takes the bound
 * back with `false`.
 *
 * CPython guards its own stack of 5 MB, but V8's is full long before that when
 * recursion goes through C (`__eq__`, `sorted`, the end of a long chain): the
 * interpreter dies. With stack switching, the bound holds only for the stack on
 * which it was set, so the run itself must set it. A look sets it on the stack from
 * which tasks start, which have stacks of their own: it takes the bound back.
 *
 * @param stackKiB The stack that Python may use before it raises `RecursionError`.
 */
export function stackGuard(
  python: PyodideInterface,
  stackKiB = USUAL_KIB,
): (isBounded?: boolean) => void {
  if (!guardsStack(python)) return () => {};
  const module = Reflect.get(python, "_module");
  const bytes = stackKiB * 1024;
  return (isBounded = true) => {
    const thread = module._PyThreadState_Get();
    if (!isBounded) {
      return module._PyUnstable_ThreadState_ResetStackProtection(thread);
    }
    const top: number = module._emscripten_stack_get_current();
    module._PyUnstable_ThreadState_SetStackProtection(
      thread,
      top - bytes,
      bytes,
    );
  };
}

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
