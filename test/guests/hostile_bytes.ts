/**
 * Components made of bytes, by the binary format of WebAssembly.
 *
 * @module
 */
import { readGuest } from "../support/guests.ts";

const encoder = new TextEncoder();
/** The start of each component. */
export const HEADER = [0, 97, 115, 109, 13, 0, 1, 0];

/** Components in each other, by the binary format: section 4 is a component. */
export function nested(depth: number): Uint8Array<ArrayBuffer> {
  // From the inside out, with the parts before each inner one kept in turn.
  const parts: number[][] = [];
  let length = HEADER.length;
  for (let level = 0; level < depth; level++) {
    const start = [...HEADER, 4, ...toLeb(length)];
    parts.push(start);
    length += start.length;
  }
  return new Uint8Array([...parts.reverse().flat(), ...HEADER]);
}

/** An unsigned number, as WebAssembly writes it. */
function toLeb(value: number): number[] {
  const low = value & 127;
  return value < 128 ? [low] : [low | 128, ...toLeb(value >>> 7)];
}

/** A component that does as it should, after a custom section of padding. */
export async function padded(
  mib: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const guest = await readGuest("rust");
  const body = mib << 20;
  const header = [0, ...toLeb(body + 4), 3, ...encoder.encode("pad")];
  const file = new Uint8Array(guest.length + header.length + body);
  file.set(guest);
  file.set(header, guest.length);
  return file;
}

/** Writes a text over each place of a mark, padded to its length. */
export function fill(
  file: Uint8Array<ArrayBuffer>,
  mark: string,
  text: string,
  padding: string,
): Uint8Array<ArrayBuffer> {
  const bytes = encoder.encode(text);
  if (bytes.length > mark.length) {
    throw new RangeError(`"${text}" is longer than ${mark.length} bytes`);
  }
  const start = encoder.encode(mark);
  const [first = 0] = start;
  let places = 0;
  for (
    let at = file.indexOf(first);
    at >= 0;
    at = file.indexOf(first, at + 1)
  ) {
    if (!start.every((byte, index) => file[at + index] === byte)) continue;
    places++;
    file.fill(encoder.encode(padding)[0] ?? 0, at, at + start.length);
    file.set(bytes, at);
  }
  if (places === 0) throw new Error(`there is no place for "${text}"`);
  return file;
}
