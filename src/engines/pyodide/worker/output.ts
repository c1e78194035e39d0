import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { Stream } from "../../../protocol/run_messages.ts";
import type { Post } from "./backlog.ts";

/** Writes closer together than this are sent as one message. */
const QUIET_MS = 20;
const LARGEST_MESSAGE = 1 << 16;

/**
 * Sends Python's output to the host, in order, as it comes.
 *
 * @returns Sends the output that is still held back.
 */
export function connectOutput(
  python: PyodideInterface,
  post: Post,
): () => void {
  let held: { stream: Stream; text: string } = { stream: "stdout", text: "" };
  let lastPost = 0;

  const flush = () => {
    const { stream, text } = held;
    held = { stream, text: "" };
    for (let at = 0; at < text.length; at += LARGEST_MESSAGE) {
      const part = text.slice(at, at + LARGEST_MESSAGE);
      post({ type: "output", stream, text: part });
    }
    lastPost = performance.now();
  };

  for (const stream of ["stdout", "stderr"] as const) {
    const decoder = new TextDecoder();
    const write = (bytes: Uint8Array) => {
      if (held.stream !== stream) flush();
      const text = held.text + decoder.decode(bytes, { stream: true });
      held = { stream, text };
      const quiet = performance.now() - lastPost > QUIET_MS;
      if (quiet || held.text.length > LARGEST_MESSAGE) flush();
      return bytes.length;
    };
    if (stream === "stdout") python.setStdout({ write });
    else python.setStderr({ write });
  }
  return flush;
}
