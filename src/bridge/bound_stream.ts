import { TooLarge } from "./failures.ts";

interface StreamBounds {
  /** Of the whole body, or of one event if the body is a stream of events. */
  maxBytes: number;
  isStream: boolean;
  onBytes(bytes: number): void;
  /** Called once, with the error if there is one. */
  onEnd(error?: unknown): void;
}

const LINE_FEED = 10;
const RETURN = 13;

/** Passes a body on, as long as it is not larger than it may be. */
export function boundStream(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { maxBytes, isStream, onBytes, onEnd }: StreamBounds,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  let held = 0;
  let isLineEmpty = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) {
          onEnd();
          return controller.close();
        }
        onBytes(value.length);
        measure(value);
        controller.enqueue(value);
      } catch (error) {
        onEnd(error);
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
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
