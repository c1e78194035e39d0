/**
 * Who runs what, when. Local now; a cluster's later.
 *
 * @module
 */
import type { CallingRun } from "../host_calls/host_call.ts";
import type { RunRequest, Stream } from "../../protocol/run_messages.ts";
import type { FileBounds, RunFile } from "../../protocol/run_files.ts";
import type { RunResult } from "../../protocol/run_result.ts";

/** What goes with a run. */
export interface RunOptions extends CallingRun {
  /** Ends the run; its result is then `cancelled`. */
  signal?: AbortSignal;
  /** Takes each piece of output as it comes. */
  onOutput?(stream: Stream, text: string): void;
  /** Its files; without, none is put in and none comes back. */
  files?: FileExchange;
}

/** What goes into a run's working folder, and what may come out of it. */
export interface FileExchange {
  put: readonly RunFile[];
  /** Of what comes out. */
  bounds: FileBounds;
}

/** Runs code, each run in a fresh interpreter. */
export interface Pool {
  /** Runs code to its end. It does not throw: failing is a result. */
  run(request: RunRequest, options?: RunOptions): Promise<RunResult>;
}
