import { joinShort } from "../protocol/lines.ts";

/** Writes whole lines in order; false once the reader is gone. */
export interface LineWriter {
  (line: Uint8Array<ArrayBuffer>): Promise<boolean>;
  close(): Promise<void>;
}

/** Bytes of a write that takes several lines at once. */
const MOST_JOINED = 1 << 16;

/** Lines that come while others are under way go out in one write. */
export function lineWriter(
  stream: WritableStream<Uint8Array<ArrayBuffer>>,
): LineWriter {
  const writer = stream.getWriter();
  writer.closed.catch(() => {});
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let next: Promise<boolean> | undefined;
  let last: Promise<boolean> = Promise.resolve(true);

  const flush = async () => {
    const lines = waiting;
    waiting = [];
    next = undefined;
    try {
      for (const part of joinShort(lines, MOST_JOINED)) {
        await writer.write(part);
      }
      return true;
    } catch {
      return false;
    }
  };
  return Object.assign(
    (line: Uint8Array<ArrayBuffer>) => {
      waiting.push(line);
      return next ??= last = last.then(flush);
    },
    { close: () => last.then(() => writer.close()).catch(() => {}) },
  );
}
