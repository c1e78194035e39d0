import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import type { FromWorker, Stream } from "../../../protocol/messages.ts";
import type { WorkerStart } from "./worker_start.ts";

/** Characters under way to the host before Python has to wait. */
const WINDOW = 1 << 20;
/** Writes closer together than this are sent as one message. */
const QUIET_MS = 20;
const LARGEST_MESSAGE = 1 << 16;

/**
 * Sends what Python prints to the host, in order, as it comes.
 *
 * Python waits while the host has more than a window's worth to take, so that a
 * flood costs time and not memory.
 *
 * @returns Sends what is still held back.
 */
export function connectOutput(
  python: PyodideInterface,
  start: Pick<WorkerStart, "interrupt" | "backlog">,
  post: (message: FromWorker) => void,
): () => void {
  const backlog = new Int32Array(start.backlog);
  const interrupt = new Uint8Array(start.interrupt);
  let held: { stream: Stream; text: string } = { stream: "stdout", text: "" };
  let lastPost = 0;

  const flush = () => {
    const { stream, text } = held;
    held = { stream, text: "" };
    for (let at = 0; at < text.length; at += LARGEST_MESSAGE) {
      const part = text.slice(at, at + LARGEST_MESSAGE);
      waitForRoom(backlog, interrupt);
      Atomics.add(backlog, 0, part.length);
      post({ type: "output", stream, text: part });
    }
    lastPost = performance.now();
  };

  for (const stream of ["stdout", "stderr"] as const) {
    const decoder = new TextDecoder();
    const write = (bytes: Uint8Array) => {
      if (held.stream !== stream) flush();
      held = {
        stream,
        text: held.text + decoder.decode(bytes, { stream: true }),
      };
      const quiet = performance.now() - lastPost > QUIET_MS;
      if (quiet || held.text.length > LARGEST_MESSAGE) flush();
      return bytes.length;
    };
    if (stream === "stdout") python.setStdout({ write });
    else python.setStderr({ write });
  }
  return flush;
}

function waitForRoom(backlog: Int32Array, interrupt: Uint8Array): void {
  for (
    let size = Atomics.load(backlog, 0);
    size > WINDOW && interrupt[0] === 0;
    size = Atomics.load(backlog, 0)
  ) Atomics.wait(backlog, 0, size, 50);
}
