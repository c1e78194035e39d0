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
  const grow = WebAssembly.Memory.prototype.grow;
  WebAssembly.Memory.prototype.grow = function (pages: number): number {
    if (this.buffer.byteLength + pages * PAGE_BYTES > maxBytes) {
      throw new RangeError(`Cannot grow memory beyond ${maxBytes} bytes`);
    }
    return grow.call(this, pages);
  };
}
