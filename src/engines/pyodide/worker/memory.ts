const PAGE_BYTES = 65_536;

/**
 * Caps how far WebAssembly memory may grow: Python then raises `MemoryError`,
 * and the interpreter survives.
 *
 * Without it a Python memory bomb takes 4 GiB.
 *
 * @param maxBytes Largest size of one memory, in bytes.
 */
export function capMemory(maxBytes: number): void {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (pages: number): number {
    // Read once: an object may be another number the second time.
    const more = Number(pages);
    if (sizeOf(this) + more * PAGE_BYTES > maxBytes) {
      throw new RangeError(`Cannot grow memory beyond ${maxBytes} bytes`);
    }
    return grow.call(this, more);
  };
}

/** Its true size: code can give the memory a `buffer` of its own. */
function sizeOf(memory: WebAssembly.Memory): number {
  const { prototype } = WebAssembly.Memory;
  const buffer: unknown = Reflect.get(prototype, "buffer", memory);
  return Number(Reflect.get(Object(buffer), "byteLength"));
}
