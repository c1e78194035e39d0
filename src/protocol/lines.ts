const NEWLINE_BYTE = 10;
export const NEWLINE: Uint8Array<ArrayBuffer> = new Uint8Array([NEWLINE_BYTE]);

/**
 * Splits a byte stream into lines, without their newline. A last line without it
 * is dropped: its writer died in the middle of it.
 *
 * @param options.onLonger Told of each line that is longer, which is left out.
 * @throws {RangeError} If a line is longer, and `onLonger` is not given.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  { onLonger }: { onLonger?: (bytes: number) => void } = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  for await (const chunk of source) {
    let start = 0;
    for (
      let end = chunk.indexOf(NEWLINE_BYTE);
      end >= 0;
      end = chunk.indexOf(NEWLINE_BYTE, start)
    ) {
      hold(chunk.subarray(start, end));
      const line = take();
      if (line) yield line;
      start = end + 1;
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }

  function hold(part: Uint8Array<ArrayBuffer>): void {
    held += part.length;
    if (held <= maxBytes) parts.push(part);
    else if (onLonger) parts = [];
    else {
      throw new RangeError(
        `Cannot read a line of more than ${maxBytes} bytes`,
      );
    }
  }

  function take(): Uint8Array<ArrayBuffer> | undefined {
    const line = join(parts);
    const bytes = held;
    parts = [];
    held = 0;
    if (bytes <= maxBytes) return line;
    onLonger?.(bytes);
  }
}

export function concat(parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
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

/** Joins pieces that follow each other, as long as they have no more bytes than this. */
export function* joinShort(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  mostBytes: number,
): Generator<Uint8Array<ArrayBuffer>> {
  let held: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (held.length > 0 && bytes + piece.length > mostBytes) {
      yield join(held);
      held = [];
      bytes = 0;
    }
    held.push(piece);
    bytes += piece.length;
  }
  if (held.length > 0) yield join(held);
}

function join(pieces: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const [first = new Uint8Array(), ...more] = pieces;
  return more.length === 0 ? first : concat(pieces);
}
