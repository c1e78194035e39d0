import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Stream } from "../../../protocol/run_messages.ts";
import type { Post } from "./backlog.ts";

/** More messages in this time than `BURST` are sent as one. */
const WINDOW_MS = 20;
/** No timer sends the rest while Python computes: a few lines go at once. */
const BURST = 10;
const LARGEST_MESSAGE = 1 << 16;

/**
 * Sends Python's output to the host, in order, as it comes.
 *
 * @returns Sends the output that is still held back, or forgets it.
 */
export function connectOutput(
  python: PyodideInterface,
  post: Post,
): { flush(): void; forget(): void } {
  let held: { stream: Stream; text: string } = { stream: "stdout", text: "" };
  let windowStart = 0;
  let sent = 0;
  // They hold the first bytes of a character whose last ones are to come.
  let decoders = makeDecoders();

  const flush = () => {
    const { stream, text } = held;
    held = { stream, text: "" };
    for (let at = 0; at < text.length; at += LARGEST_MESSAGE) {
      const part = text.slice(at, at + LARGEST_MESSAGE);
      post({ type: "output", stream, text: part });
    }
  };

  for (const stream of ["stdout", "stderr"] as const) {
    const write = (bytes: Uint8Array) => {
      if (held.stream !== stream) flush();
      const text = held.text + decoders[stream].decode(bytes, { stream: true });
      held = { stream, text };
      const now = performance.now();
      if (now - windowStart > WINDOW_MS) {
        windowStart = now;
        sent = 0;
      }
      if (++sent <= BURST || held.text.length > LARGEST_MESSAGE) flush();
      return bytes.length;
    };
    if (stream === "stdout") python.setStdout({ write });
    else python.setStderr({ write });
  }
  const forget = () => {
    held = { stream: "stdout", text: "" };
    windowStart = sent = 0;
    decoders = makeDecoders();
  };
  return { flush, forget };
}

const makeDecoders = () => ({
  stdout: new TextDecoder(),
  stderr: new TextDecoder(),
});
