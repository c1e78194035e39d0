/**
 * The values of `--env` in a session's memory: a checkpoint has their places, and
 * not the values.
 *
 * @module
 */
import type { Range } from "./worker/snapshot.ts";

/** A form of a variable's value, and the addresses at which it stands. */
export interface SavedSecret {
  name: string;
  /** Index of the form. */
  form: number;
  /** Bytes of that form: another value of this length takes its place. */
  length: number;
  places: number[];
}

/** A shorter value is not a secret, and would be found in many places. */
const SHORTEST = 8;
/** Of all forms of all values. */
export const MOST_PLACES = 10_000;
export const FORMS = 4;

/** Finds the values in ranges of a memory, in all forms that Python gives a text. */
export function findSecrets(
  heap: Uint8Array,
  ranges: readonly Range[],
  variables: Record<string, string>,
): SavedSecret[] {
  return Object.entries(variables).flatMap(([name, value]) =>
    toForms(value).flatMap((form, index): SavedSecret[] => {
      const places = ranges.flatMap((range) => [...findAll(heap, range, form)]);
      return places.length === 0
        ? []
        : [{ name, form: index, length: form.length, places }];
    })
  );
}

/** UTF-8, and texts of one, two and four bytes a character; each form once. */
function toForms(value: string): Uint8Array[] {
  if (value.length < SHORTEST) return [];
  const utf8 = new TextEncoder().encode(value);
  const codes = [...value].map((char) => char.codePointAt(0) ?? 0);
  const most = Math.max(...codes);
  return [
    utf8,
    ...most > 0x7f && most <= 0xff ? [new Uint8Array(codes)] : [],
    ...most <= 0xffff ? [new Uint8Array(new Uint16Array(codes).buffer)] : [],
    new Uint8Array(new Uint32Array(codes).buffer),
  ];
}

function* findAll(
  heap: Uint8Array,
  [offset, length]: Range,
  form: Uint8Array,
): Generator<number> {
  const part = heap.subarray(offset, offset + length);
  const [first = 0] = form;
  for (
    let at = part.indexOf(first);
    at >= 0;
    at = part.indexOf(first, at + 1)
  ) {
    if (form.every((byte, index) => part[at + index] === byte)) {
      yield offset + at;
    }
  }
}

/** Writes zeros over the values in a copy of the memory that starts at an address. */
export function hideSecrets(
  copy: Uint8Array,
  address: number,
  secrets: readonly SavedSecret[],
): void {
  for (const { length, places } of secrets) {
    for (const place of places) {
      const start = place - address;
      if (start < copy.length && start + length > 0) {
        copy.fill(0, Math.max(start, 0), start + length);
      }
    }
  }
}

/**
 * Writes the present values into saved pages; a value of another length stays
 * hidden.
 *
 * @param pages The bytes of the ranges, one after the other.
 * @throws {RangeError} If a place is outside of the ranges.
 */
export function showSecrets(
  pages: Uint8Array,
  ranges: readonly Range[],
  { secrets, variables }: {
    secrets: readonly SavedSecret[];
    variables: Record<string, string>;
  },
): void {
  let before = 0;
  const parts = ranges.map(([offset, length]) => {
    before += length;
    return { offset, end: offset + length, shift: before - length - offset };
  });
  for (const { name, form, length, places } of secrets) {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const bytes = value === undefined ? undefined : toForms(value)[form];
    for (const place of places) {
      const part = parts[lastIndex(parts, ({ offset }) => offset <= place)];
      if (!part || place + length > part.end) {
        throw new RangeError(
          "the saved session has a place outside of its memory",
        );
      }
      if (bytes?.length === length) pages.set(bytes, place + part.shift);
    }
  }
}

/** The last of sorted entries for which a test holds, found by halves; or -1. */
function lastIndex<T>(
  entries: readonly T[],
  test: (entry: T) => boolean,
): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle];
    if (entry !== undefined && test(entry)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
