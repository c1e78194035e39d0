import type { Mount } from "../../grants/mounts.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
import type { BootFiles } from "./worker/boot.ts";
import type { FileLimits } from "./worker/file_space.ts";
import type { EnvironmentFiles } from "./stored_files.ts";

/** Sandbox process to its Python worker: the first message. */
export type WorkerStart = BootFiles & EnvironmentFiles & {
  setup: RunSetup;
  port: MessagePort;
  /** For HTTP requests; absent if no host is granted. */
  network?: MessagePort;
  fileLimits: FileLimits;
  mounts?: readonly Mount[];
  /** Closed when the worker is gone, and not before. */
  keep: MessagePort;
  /** First byte: 2 raises KeyboardInterrupt in Python. */
  interrupt: SharedArrayBuffer;
  /** Size of the messages under way to the host: see `backlog.ts`. */
  backlog: SharedArrayBuffer;
};
