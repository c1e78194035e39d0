import { WitError } from "./types.ts";

/** Parts of components (sections, items, names) that are read in all: hostile bytes take no longer. */
const MOST_PARTS = 500_000;
/** Bytes of a name. */
const LONGEST_NAME = 1024;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the bytes of a component; each failure is a `WitError`. */
export class Reader {
  #at = 0;
  #end: number;
  #parts = MOST_PARTS;

  constructor(private readonly bytes: Uint8Array) {
    this.#end = bytes.length;
  }

  /** Bytes that are not read yet. */
  get left(): number {
    return this.#end - this.#at;
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** The next bytes. */
  take(length: number): Uint8Array {
    if (length > this.left) {
      throw new WitError(
        `is truncated or damaged: its bytes, or those of a part of it, end at byte ${this.#end}`,
      );
    }
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  /** Reads a part that says its length: reading ends with it, and goes on behind it. */
  part(read: () => void): void {
    this.spend(1);
    const part = this.take(this.u32());
    const [at, end] = [this.#at, this.#end];
    [this.#at, this.#end] = [at - part.length, at];
    read();
    [this.#at, this.#end] = [at, end];
  }

  u32(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80 && value < 2 ** 32) return value;
    }
    throw this.fault("a number of more than 32 bits");
  }

  /** An index, or the code of a primitive type less 128: such a code is a negative number. */
  indexOrCode(): number {
    const first = this.bytes[this.#at] ?? 0;
    return (first & 0xc0) === 0x40 ? this.byte() - 0x80 : this.u32();
  }

  /** Items behind their count: each has a byte at least. */
  items<T>(read: () => T): T[] {
    const count = this.u32();
    if (count > this.left) this.take(count);
    this.spend(count);
    return Array.from({ length: count }, read);
  }

  /** What may be there, behind a byte that says whether it is. */
  maybe<T>(read: () => T): T | undefined {
    const byte = this.byte();
    if (byte > 1) throw this.fault("a mark that is neither 0 nor 1");
    return byte === 1 ? read() : undefined;
  }

  text(): string {
    const length = this.u32();
    if (length > LONGEST_NAME) {
      throw this.fault(`a name of ${length} bytes (at most ${LONGEST_NAME})`);
    }
    const bytes = this.take(length);
    try {
      return UTF8.decode(bytes);
    } catch {
      throw this.fault("a name that is not UTF-8");
    }
  }

  /** Counts parts that take work. */
  spend(parts: number): void {
    this.#parts -= parts;
    if (this.#parts < 0) {
      throw new WitError(`has more than ${MOST_PARTS} parts`);
    }
  }

  /** For bytes that a component does not have, or that are newer than this program. */
  fault(what: string): WitError {
    return new WitError(
      `cannot be read: it has ${what} before byte ${this.#at}`,
    );
  }
}
