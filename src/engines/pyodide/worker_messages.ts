import type { Mount } from "../../grants/mounts.ts";
import type { Answer } from "../../protocol/run_messages.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
import type { RunOrder } from "../shared/run_order.ts";
import type { EnvironmentFiles } from "./stored_files.ts";
import type { BootFiles } from "./worker/boot.ts";
import type { FileLimits } from "./worker/file_space.ts";

/** Sandbox process to its Python worker: the first message. */
export type WorkerStart = BootFiles & EnvironmentFiles & {
  setup: RunSetup;
  /** Whether this is a copy of a session that goes on. */
  isFork: boolean;
  port: MessagePort;
  /** For HTTP requests; absent if no host is granted. */
  network?: MessagePort;
  fileLimits: FileLimits;
  mounts?: readonly Mount[];
  /** Stack that Python code may use; the usual flags of Deno allow 64, the default. */
  stackKiB?: number | undefined;
  /** Closed when the worker is gone, and not before. */
  keep: MessagePort;
  /** First byte: 2 raises KeyboardInterrupt in Python; last four: in which run. */
  interrupt: SharedArrayBuffer;
  /** How far a save is: see `worker/save_state.ts`. */
  saving: SharedArrayBuffer;
  /** Size of the messages under way to the host: see `backlog.ts`. */
  backlog: SharedArrayBuffer;
};
/** Sandbox process to its Python worker: all later messages. */
export type ToWorker =
  | RunOrder
  | Answer
  /** Saves the interpreter, unless that is given up meanwhile; between runs. */
  | { type: "save" }
  /** Keeps the interpreter as it is, before its first run. */
  | { type: "keep" }
  /** Makes it again what it was when it was kept; between runs. */
  | { type: "rewind" }
  /** Cancels the tasks that wait, of the last run first; between runs. */
  | { type: "stop" }
  /** Stops the run of this number; a late interrupt hits no other run. */
  | { type: "interrupt"; id: number };
