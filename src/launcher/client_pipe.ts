import {
  CLIENT_LINE,
  CLIENT_WINDOW,
  LINE_COST,
  SERVER_LINE,
} from "../protocol/bounds.ts";
import { encodeFrame, MARK } from "../protocol/frames.ts";
import { concat, NEWLINE, readLines } from "../protocol/lines.ts";
import { Receipts, Window } from "../protocol/window.ts";
import { type LineWriter, lineWriter } from "../protocol/standard_streams.ts";

export interface ClientStreams {
  input: ReadableStream<Uint8Array<ArrayBuffer>>;
  output: WritableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Connects a client to the server. A client's line cannot pass for a frame: it loses
 * a leading mark.
 *
 * @param onGone Called when the client cannot be read or written; maybe again.
 */
export function connectClient(
  { input, output }: ClientStreams,
  toServer: LineWriter,
  onGone: () => void,
) {
  const write = lineWriter(output);
  const window = new Window(CLIENT_WINDOW);
  const receipts = new Receipts(
    CLIENT_WINDOW,
    (bytes) => void toServer(...encodeFrame("taken", bytes)),
  );
  const tellServer = (message: object) =>
    toServer(...encodeFrame("from", 0, message));
  let queued = 0;
  let last: Promise<unknown> = Promise.resolve();

  forward().then(() => tellServer({ kind: "eof" }), onGone);
  return {
    /**
     * Queues a line for the client. It does not wait: the server sends no more
     * than a window, and learns by `taken` frames how much the client has read.
     *
     * @throws {RangeError} If the server has sent more.
     */
    send(line: Uint8Array): void {
      queued += line.length;
      if (queued > CLIENT_WINDOW + SERVER_LINE) {
        throw new RangeError(
          `Cannot queue ${queued} bytes for the client: the server must wait for it`,
        );
      }
      last = write(concat([line, NEWLINE])).then((isThere) => {
        queued -= line.length;
        receipts.take(line.length + 1 + LINE_COST);
        if (!isThere) onGone();
      });
    },
    /** Notes that the server has taken so many bytes of the client's lines. */
    taken: (bytes: number) => window.leave(bytes),
    /** Waits until the client has read all lines, or is gone. */
    flushed: () => last,
  };

  async function forward(): Promise<void> {
    const onLonger = (bytes: number) =>
      void tellServer({ kind: "overlong", bytes });
    for await (const line of readLines(input, CLIENT_LINE, { onLonger })) {
      const start = line.findIndex((byte) => byte !== MARK);
      if (start < 0) continue;
      const own = line.subarray(start);
      await window.pass(own.length + LINE_COST, async () => {
        await toServer(concat([own, NEWLINE]));
      });
    }
  }
}
