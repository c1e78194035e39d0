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
const MEMORY = 5;

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
 * Lowers the maximum of each memory that a core module makes, so that it cannot grow
 * beyond it.
 *
 * @param mostPages Of 64 KiB.
 * @throws {RangeError} If a memory begins larger, is shared, or has addresses of 64 bits.
 */
export function withMemoryLimit(
  bytes: Uint8Array<ArrayBuffer>,
  mostPages: number,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [bytes.subarray(0, PREAMBLE)];
  for (const { id, start, contents, end } of sectionsOf(bytes)) {
    if (id !== MEMORY) parts.push(bytes.subarray(start, end));
    else {
      const memories = limitMemories(bytes, { contents, end, mostPages });
      parts.push(join([
        Uint8Array.of(MEMORY, ...encode(memories.length)),
        memories,
      ]));
    }
  }
  return join(parts);
}

const HAS_MAXIMUM = 1;

function limitMemories(
  bytes: Uint8Array,
  { contents, end, mostPages }: {
    contents: number;
    end: number;
    mostPages: number;
  },
): Uint8Array<ArrayBuffer> {
  let [count, at] = decode(bytes, contents, end);
  const limited = [...encode(count)];
  for (; count > 0; count--) {
    const [flags, afterFlags] = decode(bytes, at, end);
    if (flags > HAS_MAXIMUM) {
      throw new RangeError(
        "it has a memory that is shared, or larger than 4 GiB: build it for wasm32, without threads",
      );
    }
    const [minimum, afterMinimum] = decode(bytes, afterFlags, end);
    const [maximum, afterMaximum] = flags === HAS_MAXIMUM
      ? decode(bytes, afterMinimum, end)
      : [mostPages, afterMinimum];
    at = afterMaximum;
    if (minimum > mostPages) {
      throw new RangeError(
        `it begins with ${minimum / 16} MiB of memory, and may have ${
          mostPages / 16
        } MiB: x-limits.memory of its policy allows more`,
      );
    }
    const most = Math.min(maximum, mostPages);
    limited.push(HAS_MAXIMUM, ...encode(minimum), ...encode(most));
  }
  return Uint8Array.from(limited);
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
