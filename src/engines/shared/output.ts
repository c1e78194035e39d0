import type { Stream } from "../../protocol/run_messages.ts";
import type { Post } from "./backlog.ts";

/** More messages in this time than `BURST` are sent as one. */
const WINDOW_MS = 20;
/** No timer sends the rest while Python computes: a few lines go at once. */
const BURST = 10;
const LARGEST_MESSAGE = 1 << 16;

/** Sends the output of a worker's code to the host, in order, as it comes. */
export class WorkerOutput {
  #held: { stream: Stream; text: string } = { stream: "stdout", text: "" };
  #windowStart = 0;
  #sent = 0;

  constructor(private post: Post) {}

  write(stream: Stream, text: string): void {
    if (this.#held.stream !== stream) this.flush();
    this.#held = { stream, text: this.#held.text + text };
    const now = performance.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now;
      this.#sent = 0;
    }
    if (++this.#sent <= BURST || this.#held.text.length > LARGEST_MESSAGE) {
      this.flush();
    }
  }

  /** Sends what is held back. */
  flush(): void {
    const { stream, text } = this.#held;
    this.#held = { stream, text: "" };
    for (let at = 0; at < text.length; at += LARGEST_MESSAGE) {
      const part = text.slice(at, at + LARGEST_MESSAGE);
      this.post({ type: "output", stream, text: part });
    }
  }

  /** Drops what is held back. */
  forget(): void {
    this.#held = { stream: "stdout", text: "" };
    this.#windowStart = this.#sent = 0;
  }
}
