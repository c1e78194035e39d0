import { Parts } from "../protocol/lines.ts";
import { TooLarge } from "./failures.ts";

interface StreamBounds {
  /** Of the whole body, or of one event if the body is a stream of events. */
  maxBytes: number;
  isStream: boolean;
  /** Takes the whole body, or whole lines of a stream. */
  rewrite(text: string): string;
  onBytes(bytes: number): void;
  /** Called once, with the error if there is one. */
  onEnd(error?: unknown): void;
}

const LINE_FEED = 10;
const RETURN = 13;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Passes a body on, as long as it is not larger than it may be; a stream of events by
 * whole lines, as its reader looks at an unfinished line anew with each piece.
 */
export function boundStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { maxBytes, isStream, rewrite, onBytes, onEnd }: StreamBounds,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let held = 0;
  let isLineEmpty = false;
  let unfinished = new Parts();
  let isOver = false;
  const end = (error?: unknown) => {
    if (!isOver) onEnd(error);
    isOver = true;
  };
  const rewritten = (bytes: Uint8Array<ArrayBuffer>) =>
    encoder.encode(rewrite(decoder.decode(bytes)));
  return new ReadableStream({
    async pull(controller) {
      try {
        while (true) {
          const { value, done } = await reader.read();
          if (done) {
            const rest = unfinished.join();
            if (rest.length > 0) controller.enqueue(rewritten(rest));
            end();
            return controller.close();
          }
          onBytes(value.length);
          measure(value);
          const line = isStream ? value.lastIndexOf(LINE_FEED) + 1 : 0;
          unfinished.push(line === 0 ? value : value.subarray(0, line));
          if (line === 0) continue;
          controller.enqueue(rewritten(unfinished.join()));
          unfinished = new Parts();
          unfinished.push(value.subarray(line));
          return;
        }
      } catch (error) {
        end(error);
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      }
    },
    cancel(reason = new Error("its reader has left")) {
      end(reason);
      return reader.cancel(reason);
    },
  });

  /** An empty line ends an event. */
  function measure(bytes: Uint8Array): void {
    let start = 0;
    for (let at = 0; isStream && at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === RETURN) continue;
      if (byte === LINE_FEED && isLineEmpty) {
        start = at + 1;
        held = 0;
      }
      isLineEmpty = byte === LINE_FEED;
    }
    held += bytes.length - start;
    if (held > maxBytes) throw new TooLarge(held);
  }
}
