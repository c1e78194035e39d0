import { WitError } from "./types.ts";

/** Parts of components (sections, items, names) that are read in all: hostile bytes take no longer. */
const MOST_PARTS = 500_000;
/** Bytes of a name. */
const LONGEST_NAME = 256;

/** Reads the bytes of a component; each failure is a `WitError`. */
export class Reader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #budget: { parts: number };
  #at: number;

  constructor(
    bytes: Uint8Array,
    at = 0,
    end: number = bytes.length,
    budget: { parts: number } = { parts: MOST_PARTS },
  ) {
    [this.#bytes, this.#at, this.#end] = [bytes, at, end];
    this.#budget = budget;
  }

  get at(): number {
    return this.#at;
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
    const from = this.#at;
    this.#at += length;
    return this.#bytes.subarray(from, this.#at);
  }

  /** A reader of the next bytes alone. */
  part(length: number): Reader {
    const from = this.#at;
    this.take(length);
    return new Reader(this.#bytes, from, this.#at, this.#budget);
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
    const first = this.#bytes[this.#at] ?? 0;
    return (first & 0xc0) === 0x40 ? this.byte() - 0x80 : this.u32();
  }

  /** Counts what follows: each item has a byte at least. */
  *items(): Generator<number> {
    const count = this.u32();
    if (count > this.left) this.take(count);
    this.spend(count);
    for (let index = 0; index < count; index++) yield index;
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
    try {
      return decoder.decode(this.take(length));
    } catch (error) {
      if (error instanceof WitError) throw error;
      throw this.fault("a name that is not UTF-8");
    }
  }

  /** Counts parts that take work. */
  spend(parts: number): void {
    this.#budget.parts -= parts;
    if (this.#budget.parts < 0) {
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

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
