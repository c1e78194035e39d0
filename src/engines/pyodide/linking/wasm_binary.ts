// WebAssembly's binary format: magic and version, then sections. Numbers are
// LEB128, and a vector is its length, then its items.
import { concat } from "../../../protocol/lines.ts";

/** The bytes before the first section. */
const HEADER = 8;

/** Ids of sections. */
export const SECTION = {
  import: 2,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  element: 9,
  data: 11,
} as const;

/** Kinds of a module's imports and exports. */
export const KIND = { function: 0, memory: 2, global: 3 } as const;

/** The type of a number of 32 bits. */
export const I32 = 0x7f;

const CUT_SHORT = "The module is cut short";
const END = 0x0b;
const I32_CONST = 0x41;

export interface Section {
  id: number;
  body: Uint8Array;
}

/** Reads a part of a module from its start. */
export class BinaryReader {
  at = 0;

  constructor(readonly bytes: Uint8Array) {}

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError(CUT_SHORT);
    return byte;
  }

  /** An unsigned number of up to 32 bits. */
  u32(): number {
    let value = 0;
    for (let factor = 1;; factor *= 128) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** A signed number of up to 32 bits. */
  i32(): number {
    let value = 0;
    for (let shift = 7;; shift += 7) {
      const byte = this.byte();
      value |= (byte & 127) << shift - 7;
      if (byte >= 128) continue;
      return shift < 32 && byte & 64 ? value | -1 << shift : value;
    }
  }

  name(): string {
    const length = this.u32();
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(this.take(length));
  }

  take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw new RangeError(CUT_SHORT);
    return this.bytes.subarray(this.at, this.at += length);
  }

  rest(): Uint8Array {
    return this.bytes.subarray(this.at);
  }

  /** The items of a vector. */
  vector<Item>(read: () => Item): Item[] {
    return Array.from({ length: this.u32() }, read);
  }

  /** The value of a constant expression; undefined if it is not a number of 32 bits. */
  constant(): number | undefined {
    let value: number | undefined;
    for (let operation = this.byte(); operation !== END;) {
      value = undefined;
      if (operation === I32_CONST) value = this.i32();
      else this.#skipOperand(operation);
      operation = this.byte();
    }
    return value;
  }

  #skipOperand(operation: number): void {
    switch (operation) {
      case 0x42: // i64.const
      case 0x23: // global.get
      case 0xd2: // ref.func
      case 0xd0: // ref.null
        while (this.byte() >= 128);
        return;
      case 0x43: // f32.const
        this.at += 4;
        return;
      case 0x44: // f64.const
        this.at += 8;
        return;
    }
    throw new TypeError(`Cannot read the operation ${operation}`);
  }
}

export function readSections(module: Uint8Array): Section[] {
  const reader = new BinaryReader(module);
  reader.take(HEADER);
  const sections: Section[] = [];
  while (reader.at < module.length) {
    sections.push({ id: reader.byte(), body: reader.take(reader.u32()) });
  }
  return sections;
}

/** @param header The module that the sections are from. */
export function writeSections(
  header: Uint8Array,
  sections: Section[],
): Uint8Array<ArrayBuffer> {
  return concat([
    header.subarray(0, HEADER),
    ...sections.flatMap(({ id, body }) => [[id, ...u32(body.length)], body]),
  ]);
}

export function u32(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 128; value = Math.floor(value / 128)) {
    bytes.push(value % 128 | 128);
  }
  return [...bytes, value];
}

export function i32(value: number): number[] {
  const bytes: number[] = [];
  for (; value < -64 || value >= 64; value >>= 7) bytes.push(value & 127 | 128);
  return [...bytes, value & 127];
}

export function name(text: string): number[] {
  const bytes = new TextEncoder().encode(text);
  return [...u32(bytes.length), ...bytes];
}

export function vector(items: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  return concat([u32(items.length), ...items]);
}

/** The expression of a constant. */
export function constant(value: number): number[] {
  return [I32_CONST, ...i32(value), END];
}
