const NEWLINE = 10;

/**
 * Splits a byte stream into lines, without their newline.
 *
 * A last line without a newline is dropped: its writer died in the middle of it.
 *
 * @param source Bytes as they come from a pipe.
 * @param maxBytes Longest line.
 * @throws {RangeError} If a line is longer.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  for await (const chunk of source) {
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE);
      end >= 0;
      end = chunk.indexOf(NEWLINE, start)
    ) {
      const last = chunk.subarray(start, end);
      if (held + last.length > maxBytes) throw tooLong(maxBytes);
      yield held === 0 ? last : concat([...parts, last]);
      parts = [];
      held = 0;
      start = end + 1;
    }
    if (start < chunk.length) {
      parts.push(chunk.subarray(start));
      held += chunk.length - start;
    }
    if (held > maxBytes) throw tooLong(maxBytes);
  }
}

function tooLong(maxBytes: number): RangeError {
  return new RangeError(`Cannot read a line of more than ${maxBytes} bytes`);
}

/** Joins byte arrays into one. */
export function concat(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(
    parts.reduce((total, part) => total + part.length, 0),
  );
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
