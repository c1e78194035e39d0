import type { Mount } from "../../grants/mounts.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
import type { RunOrder } from "../shared/run_order.ts";

/** Sandbox process to its worker: the first message. */
export interface WorkerStart {
  /** The interpreter. */
  module: WebAssembly.Module;
  setup: RunSetup;
  port: MessagePort;
  /** For HTTP requests; absent if no host is granted. */
  network?: MessagePort;
  /** Closed when the worker is gone, and not before. */
  keep: MessagePort;
  memoryBytes: number;
  /** The most that the files of an interpreter may be. */
  fileLimits: { bytes: number; nodes: number };
  mounts: readonly Mount[];
  /** Paths that the worker gives up first. */
  ownReads: readonly string[];
  /** The number of the run whose code is to stop. */
  interrupt: SharedArrayBuffer;
  /** Size of the messages under way to the host: see `shared/backlog.ts`. */
  backlog: SharedArrayBuffer;
}

/** Sandbox process to its worker: all later messages. */
export type ToWorker =
  | RunOrder
  /** Makes a fresh interpreter in the place of the one that is there; between runs. */
  | { type: "renew" }
  /** The run of this number is to stop, which may wait for its host. */
  | { type: "interrupt"; id: number };
