const NEWLINE = 10;

/**
 * Splits a byte stream into lines, without their newline.
 *
 * A last line without a newline is dropped: its writer died in the middle of it.
 *
 * @param source Bytes as they come from a pipe.
 * @param maxBytes Longest line.
 * @param options.cutTo Bytes to give of a line that is longer, in its place.
 * @throws {RangeError} If a line is longer, and is not to be cut.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  { cutTo }: { cutTo?: number } = {},
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
      hold(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }

  function hold(part: Uint8Array<ArrayBuffer>): void {
    held += part.length;
    if (held <= maxBytes) parts.push(part);
    else if (cutTo === undefined) throw tooLong(maxBytes);
    else parts = [concat([...parts, part]).slice(0, cutTo)];
  }

  function take(): Uint8Array<ArrayBuffer> {
    const [first = new Uint8Array(), ...more] = parts;
    const line = more.length === 0 ? first : concat(parts);
    parts = [];
    held = 0;
    return line;
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
