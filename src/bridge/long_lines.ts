import { Parts, Tail } from "../protocol/lines.ts";

/** A line, or both ends of a line that is longer than it may be. */
export type Line =
  | { bytes: number; whole: string }
  | { bytes: number; start: string; end: string };

const NEWLINE = 10;
/** Bytes of each end; the id of an answer stands near the one or the other. */
const END = 4096;
const decoder = new TextDecoder();

/** Splits a stream into lines; of a longer line it keeps the ends alone. */
export async function* readLongLines(
  source: AsyncIterable<Uint8Array<ArrayBuffer>>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let parts = new Parts();
  let bytes = 0;
  let start = "";
  let end: Tail | undefined;
  for await (const chunk of source) {
    let from = 0;
    for (let to; (to = chunk.indexOf(NEWLINE, from)) >= 0; from = to + 1) {
      hold(chunk.subarray(from, to));
      yield take();
    }
    if (from < chunk.length) hold(chunk.subarray(from));
  }

  function hold(part: Uint8Array<ArrayBuffer>): void {
    bytes += part.length;
    if (end === undefined) {
      parts.push(part);
      if (bytes <= maxBytes) return;
      const all = parts.join();
      parts = new Parts();
      start = decoder.decode(all.subarray(0, END));
      end = new Tail(END);
      end.push(all);
    } else end.push(part);
  }

  function take(): Line {
    const line = end
      ? { bytes, start, end: decoder.decode(end.bytes) }
      : { bytes, whole: decoder.decode(parts.join()) };
    parts = new Parts();
    bytes = 0;
    end = undefined;
    return line;
  }
}
