// The sections of WebAssembly, as far as this process has to change them.

/** A section: its id, the place where it starts, and those of its contents. */
interface Section {
  id: number;
  start: number;
  contents: number;
  end: number;
}

const PREAMBLE = 8;
const CUSTOM = 0;
const TABLE = 4;
const MEMORY = 5;

/** Entries of a table: as many take 8 MiB. Python in a component has 20,000. */
const MOST_ENTRIES = 1_000_000;
/** Kinds of tables: of functions, and of values outside of WebAssembly. */
const TABLES = [0x70, 0x6f];

/**
 * Removes the custom sections of a component: they are words for tools, and jco fails at
 * comments that do not fit.
 *
 * @throws {RangeError} If a section goes beyond the end.
 */
export function withoutCustomSections(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const kept = [...sectionsOf(bytes)].filter(({ id }) => id !== CUSTOM)
    .map(({ start, end }) => bytes.subarray(start, end));
  return join([bytes.subarray(0, PREAMBLE), ...kept]);
}

/**
 * Lowers the maximum of each memory and table that a core module makes, so that it
 * cannot grow beyond it.
 *
 * @param mostPages Of 64 KiB.
 * @throws {RangeError} If a memory or table begins larger or has another form, or a
 * module has several memories.
 */
export function withLimits(
  bytes: Uint8Array<ArrayBuffer>,
  mostPages: number,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [bytes.subarray(0, PREAMBLE)];
  for (const { id, start, contents, end } of sectionsOf(bytes)) {
    if (id !== MEMORY && id !== TABLE) parts.push(bytes.subarray(start, end));
    else {
      const limit = id === TABLE ? limitTable : limitMemory(mostPages);
      const limited = limitAll(bytes, { contents, end, limit });
      parts.push(Uint8Array.of(id, ...encode(limited.length)), limited);
    }
  }
  return join(parts);
}

/** The bounds of a memory or table, as a module has them. */
interface Bounds {
  flags: number;
  minimum: number;
  maximum: number | undefined;
}

/** Gives the maximum in the place of a module's own; `count` of a kind are in the module. */
type Limit = (bounds: Bounds, count: number) => number;

const HAS_MAXIMUM = 1;

function limitAll(
  bytes: Uint8Array,
  { contents, end, limit }: { contents: number; end: number; limit: Limit },
): Uint8Array<ArrayBuffer> {
  const [count, first] = decode(bytes, contents, end);
  let at = first;
  const limited = [...encode(count)];
  for (let left = count; left > 0; left--) {
    if (limit === limitTable) {
      const kind = bytes[at++] ?? 0;
      if (!TABLES.includes(kind)) {
        throw new RangeError(
          `it has a table of a kind that is not known: ${kind}`,
        );
      }
      limited.push(kind);
    }
    const [flags, afterFlags] = decode(bytes, at, end);
    const [minimum, afterMinimum] = decode(bytes, afterFlags, end);
    const [maximum, afterMaximum] = flags === HAS_MAXIMUM
      ? decode(bytes, afterMinimum, end)
      : [undefined, afterMinimum];
    at = afterMaximum;
    const most = limit({ flags, minimum, maximum }, count);
    limited.push(HAS_MAXIMUM, ...encode(minimum), ...encode(most));
  }
  return Uint8Array.from(limited);
}

function limitTable(
  { flags, minimum, maximum = MOST_ENTRIES }: Bounds,
): number {
  if (flags > HAS_MAXIMUM) {
    throw new RangeError("it has a table that is shared, or of 64 bits");
  }
  if (minimum > MOST_ENTRIES) {
    throw new RangeError(
      `it begins with a table of ${minimum} entries, and may have ${MOST_ENTRIES}`,
    );
  }
  return Math.min(maximum, MOST_ENTRIES);
}

function limitMemory(mostPages: number): Limit {
  return ({ flags, minimum, maximum = mostPages }, count) => {
    if (flags > HAS_MAXIMUM) {
      throw new RangeError(
        "it has a memory that is shared, or larger than 4 GiB: build it for wasm32, without threads",
      );
    }
    if (count > 1) {
      throw new RangeError(
        `it has a module of ${count} memories, and may have one in each`,
      );
    }
    if (minimum > mostPages) {
      throw new RangeError(
        `it begins with ${minimum / 16} MiB of memory, and may have ${
          mostPages / 16
        } MiB: x-limits.memory of its policy allows more`,
      );
    }
    return Math.min(maximum, mostPages);
  };
}

function* sectionsOf(bytes: Uint8Array): Generator<Section> {
  for (let at = PREAMBLE; at < bytes.length;) {
    const id = bytes[at] ?? CUSTOM;
    const [size, contents] = decode(bytes, at + 1, bytes.length);
    const end = contents + size;
    if (end > bytes.length) {
      throw new RangeError(`it is cut off in the section at byte ${at}`);
    }
    yield { id, start: at, contents, end };
    at = end;
  }
}

const MOST_DIGITS = 5;

/** Reads an unsigned integer of 32 bits in LEB128; gives it and the place behind it. */
function decode(
  bytes: Uint8Array,
  start: number,
  end: number,
): [value: number, after: number] {
  let value = 0;
  for (let digit = 0; digit < MOST_DIGITS; digit++) {
    const byte = bytes[start + digit];
    if (byte === undefined || start + digit >= end) break;
    value += (byte & 0x7f) * 2 ** (7 * digit);
    if (byte < 0x80) return [value, start + digit + 1];
  }
  throw new RangeError(`it has no number at byte ${start}`);
}

function encode(value: number): number[] {
  const digits: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) {
    digits.push(value % 0x80 + 0x80);
  }
  return [...digits, value];
}

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(
    parts.reduce((sum, { length }) => sum + length, 0),
  );
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
