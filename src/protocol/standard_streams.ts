// Deno's streams of stdin and stdout would take 4 ms of a start to load, and a part
// of each call.
import { writeAll } from "../disk.ts";
import { type ByteSource, joinShort } from "./lines.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** A pipe holds as many. */
const CHUNK = 1 << 16;

/** Gives the bytes of stdin, until it ends. */
export function readStdin(): ByteSource {
  return toSource(async (into) => {
    const size = await Deno.stdin.read(into);
    return size === null ? undefined : into.subarray(0, size);
  });
}

/**
 * Gives the bytes of stdin, until it ends, to a process that does nothing else while it
 * waits: without a change of threads for each piece.
 */
export function readStdinAlone(): ByteSource {
  return toSource((into) => {
    const size = Deno.stdin.readSync(into);
    return Promise.resolve(
      size === null ? undefined : into.subarray(0, size),
    );
  });
}

/** Gives the bytes of a process's stream, until it ends. */
export function readStream(stream: ReadableStream<Bytes>): ByteSource {
  const reader = stream.getReader({ mode: "byob" });
  return toSource(
    async (into) => (await reader.read(into)).value,
    () => reader.cancel().catch(() => {}),
  );
}

/** @param read Reads into a part of a buffer, whose memory it may move; gives that part. */
function toSource(
  read: (into: Bytes) => Promise<Bytes | undefined>,
  close?: () => Promise<void>,
): ByteSource {
  return {
    async *[Symbol.asyncIterator]() {
      let buffer = new Uint8Array(CHUNK);
      try {
        for (let some; (some = await read(buffer)) && some.length > 0;) {
          yield some.slice();
          buffer = new Uint8Array(some.buffer);
        }
      } finally {
        await close?.();
      }
    },
    async fill(room, at) {
      const some = await read(room.subarray(at));
      if (!some || some.length === 0) return undefined;
      return [new Uint8Array(some.buffer), some.length];
    },
  };
}

/** Bytes of a write that takes several pieces at once. */
const MOST_JOINED = 1 << 16;

/**
 * Writes pieces in the order of the calls; fails if an earlier write has failed. Short
 * pieces that come while others are under way go out in one write.
 */
export function joinWrites(
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): (...pieces: Uint8Array<ArrayBuffer>[]) => Promise<void> {
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const flush = async () => {
    const pieces = waiting;
    waiting = [];
    next = undefined;
    for (const piece of joinShort(pieces, MOST_JOINED)) await write(piece);
  };
  return (...pieces) => {
    waiting.push(...pieces);
    return next ??= last = last.then(flush, (error) => {
      waiting = [];
      next = undefined;
      throw error;
    });
  };
}

/** Writes pieces to stdout, behind those of earlier calls. */
export const writeStdout: ReturnType<typeof joinWrites> = joinWrites((bytes) =>
  writeAll(Deno.stdout, bytes)
);

/** Writes whole lines, and the bytes behind them, in order; false once the reader is gone. */
export interface LineWriter {
  (...pieces: Uint8Array<ArrayBuffer>[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Lines that come while others are under way go out in one write. */
export function lineWriter(
  stream: WritableStream<Uint8Array<ArrayBuffer>>,
): LineWriter {
  const writer = stream.getWriter();
  writer.closed.catch(() => {});
  const write = joinWrites((bytes) => writer.write(bytes));
  let last: Promise<boolean> = Promise.resolve(true);
  return Object.assign(
    (...pieces: Uint8Array<ArrayBuffer>[]) =>
      last = write(...pieces).then(() => true, () => false),
    { close: () => last.then(() => writer.close()).catch(() => {}) },
  );
}
