/**
 * Who runs what, when. Local now; a cluster's later.
 *
 * @module
 */
import type { RunRequest, Stream } from "../protocol/messages.ts";
import type { RunResult } from "../protocol/result.ts";

/** What goes with a run. */
export interface RunOptions {
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal;
  /** Takes each piece of output as it comes. */
  onOutput?(stream: Stream, text: string): void;
}

/** Runs code, each run in a fresh interpreter. */
export interface Pool {
  /** Runs code to its end. It does not throw: failing is a result. */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>;
}
