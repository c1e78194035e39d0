const NEWLINE_BYTE = 10;
export const NEWLINE: Uint8Array<ArrayBuffer> = new Uint8Array([NEWLINE_BYTE]);

export interface LineBounds {
  /** Bytes of a line. */
  line: number;
  /** Bytes of a body. */
  body: number;
}

/** A line without its newline, and the bytes behind it. */
export interface LineAndBody {
  line: Uint8Array<ArrayBuffer>;
  /** Undefined if the line tells of none. */
  body?: Uint8Array<ArrayBuffer> | undefined;
}

/** Bytes that come one after another. */
export interface ByteSource extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  /**
   * Reads what comes next into a whole buffer, whose memory it may move; only between
   * two chunks, and if it can.
   *
   * @param at The place in the buffer.
   * @returns The buffer, and the bytes that came; undefined at the end.
   */
  fill?(
    room: Uint8Array<ArrayBuffer>,
    at: number,
  ): Promise<[room: Uint8Array<ArrayBuffer>, bytes: number] | undefined>;
}

interface ReadOptions {
  /** Told of each line that is longer, which is left out. */
  onLonger?: ((bytes: number) => void) | undefined;
}

/**
 * Splits a byte stream into lines, without their newline. A last line without it
 * is dropped: its writer died in the middle of it.
 *
 * @throws {RangeError} If a line is longer, and `onLonger` is not given.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
  options: ReadOptions = {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const most = { line: maxBytes, body: 0 };
  const noBody = () => undefined;
  for await (const { line } of readBodies(source, most, noBody, options)) {
    yield line;
  }
}

/**
 * Splits a byte stream into lines and the bytes behind some of them. An incomplete line
 * at the end is dropped.
 *
 * @param sizeOf Gives the bytes behind a line; undefined if the line tells of none.
 * @throws {RangeError} If a line or body is longer; not of a line if `onLonger` is
 * given.
 */
export async function* readBodies(
  source: ByteSource,
  most: LineBounds,
  sizeOf: (line: Uint8Array) => number | undefined,
  { onLonger }: ReadOptions = {},
): AsyncGenerator<LineAndBody> {
  let parts = new Parts();
  let held = 0;
  /** The line whose body is being read, and the room for that. */
  let line: Uint8Array<ArrayBuffer> | undefined;
  let room: Uint8Array<ArrayBuffer> = new Uint8Array();
  for await (const chunk of source) {
    let at = 0;
    while (at < chunk.length) {
      if (line) {
        const part = chunk.subarray(at, at + room.length - held);
        room.set(part, held);
        held += part.length;
        at += part.length;
      } else {
        const end = chunk.indexOf(NEWLINE_BYTE, at);
        hold(chunk.subarray(at, end < 0 ? undefined : end));
        if (end < 0) break;
        at = end + 1;
        const bytes = held;
        const read = take();
        if (bytes > most.line) {
          onLonger?.(bytes);
          continue;
        }
        const body = sizeOf(read);
        if (body === undefined) {
          yield { line: read };
          continue;
        }
        if (body > most.body) throw tooLong("a body", most.body);
        line = read;
        room = new Uint8Array(body);
      }
      // All of the chunk is read: the rest comes without a copy.
      while (source.fill && at === chunk.length && held < room.length) {
        const filled = await source.fill(room, held);
        if (!filled) return;
        room = filled[0];
        held += filled[1];
      }
      if (held < room.length) continue;
      held = 0;
      yield { line, body: room };
      line = undefined;
    }
  }

  function hold(part: Uint8Array<ArrayBuffer>): void {
    held += part.length;
    if (held <= most.line) parts.push(part);
    else if (onLonger) parts = new Parts();
    else throw tooLong("a line", most.line);
  }

  function take(): Uint8Array<ArrayBuffer> {
    const joined = parts.join();
    parts = new Parts();
    held = 0;
    return joined;
  }
}

/** Bytes from which a piece is kept as it comes. */
const LARGE_PIECE = 4096;
const ROOM = 4 * LARGE_PIECE;

/**
 * The pieces of a line. Small pieces are copied together: each may be a view of a
 * buffer that is many times as large, and a writer may send single bytes.
 */
export class Parts {
  #whole: Uint8Array<ArrayBuffer>[] = [];
  #room = new Uint8Array();
  #used = 0;

  push(piece: Uint8Array<ArrayBuffer>): void {
    const isFirst = this.#whole.length === 0 && this.#used === 0;
    if (isFirst || piece.length >= LARGE_PIECE) {
      this.#close();
      this.#whole.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#room.length) {
      this.#close();
      this.#room = new Uint8Array(ROOM);
    }
    this.#room.set(piece, this.#used);
    this.#used += piece.length;
  }

  join(): Uint8Array<ArrayBuffer> {
    this.#close();
    return join(this.#whole);
  }

  #close(): void {
    if (this.#used > 0) this.#whole.push(this.#room.subarray(0, this.#used));
    this.#room = this.#room.subarray(this.#used);
    this.#used = 0;
  }
}

/** The last bytes of a stream. */
export class Tail {
  #held: Uint8Array<ArrayBuffer>;
  #used = 0;

  constructor(private readonly most: number) {
    this.#held = new Uint8Array(2 * most);
  }

  push(bytes: Uint8Array): void {
    const last = bytes.subarray(-this.most);
    if (this.#used + last.length > this.#held.length) {
      this.#held.copyWithin(0, this.#used - this.most, this.#used);
      this.#used = this.most;
    }
    this.#held.set(last, this.#used);
    this.#used += last.length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#held.subarray(Math.max(this.#used - this.most, 0), this.#used);
  }
}

function tooLong(what: string, most: number): RangeError {
  return new RangeError(`Cannot read ${what} of more than ${most} bytes`);
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
