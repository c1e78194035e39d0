// Deno's streams of stdin and stdout would take 4 ms of a start to load, and a part
// of each call.
import { writeAll } from "../disk.ts";
import { joinShort } from "./lines.ts";

/** Gives the bytes of stdin, until it ends. */
export async function* readStdin(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(1 << 16);
  for (let size; (size = await Deno.stdin.read(buffer)) !== null;) {
    yield buffer.slice(0, size);
  }
}

/** Bytes of a write that takes several pieces at once. */
const MOST_JOINED = 1 << 16;

/**
 * Writes bytes in the order of the calls; fails if an earlier write has failed. Short
 * pieces that come while others are under way go out in one write.
 */
export function joinWrites(
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>,
): (bytes: Uint8Array<ArrayBuffer>) => Promise<void> {
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();
  const flush = async () => {
    const pieces = waiting;
    waiting = [];
    next = undefined;
    for (const piece of joinShort(pieces, MOST_JOINED)) await write(piece);
  };
  return (bytes) => {
    waiting.push(bytes);
    return next ??= last = last.then(flush, (error) => {
      waiting = [];
      next = undefined;
      throw error;
    });
  };
}

/** Writes bytes to stdout, behind those of earlier calls. */
export const writeStdout: (bytes: Uint8Array<ArrayBuffer>) => Promise<void> =
  joinWrites((bytes) => writeAll(Deno.stdout, bytes));

/** Writes whole lines in order; false once the reader is gone. */
export interface LineWriter {
  (line: Uint8Array<ArrayBuffer>): Promise<boolean>;
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
    (line: Uint8Array<ArrayBuffer>) =>
      last = write(line).then(() => true, () => false),
    { close: () => last.then(() => writer.close()).catch(() => {}) },
  );
}
