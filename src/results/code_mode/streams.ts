import type { Stream } from "../../protocol/run_messages.ts";
import { cutText } from "../cut.ts";
import { OutputLimiter, toLines } from "../output.ts";

/** The lines of a run's output, by the stream that they were written to. */
export type Streams = Record<Stream, string[]>;

/** Collects output by its stream, so much of each as a run may keep in all. */
export class StreamCollector {
  #limiters: Record<Stream, OutputLimiter>;
  #texts = { stdout: "", stderr: "" };

  constructor(limit: number) {
    this.#limiters = {
      stdout: new OutputLimiter(limit),
      stderr: new OutputLimiter(limit),
    };
  }

  take(stream: Stream, text: string): void {
    this.#texts[stream] += this.#limiters[stream].push(text);
  }

  /** All of it; the last call. */
  finish(): Streams {
    const linesOf = (stream: Stream) => {
      const { rest } = this.#limiters[stream].finish();
      return toLines((this.#texts[stream] + rest).toWellFormed());
    };
    return { stdout: linesOf("stdout"), stderr: linesOf("stderr") };
  }
}

/**
 * Cuts output to so many characters in all: each stream has the room that the
 * other leaves, and half of it if both are long.
 */
export function cutStreams(streams: Streams, room: number): Streams {
  const stdout = streams.stdout.join("\n");
  const stderr = streams.stderr.join("\n");
  if (stdout.length + stderr.length <= room) return streams;
  const half = Math.ceil(room / 2);
  const most = (other: string) => Math.max(half, room - other.length);
  return {
    stdout: toLines(cutText(stdout, most(stderr)).text),
    stderr: toLines(cutText(stderr, most(stdout)).text),
  };
}
