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
