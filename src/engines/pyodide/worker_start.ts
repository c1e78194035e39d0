import type { Mount } from "../../grants/mounts.ts";
import type { BootFiles } from "./worker/boot.ts";
import type { FileLimits } from "./worker/file_space.ts";
import type { EnvironmentFiles } from "./stored_files.ts";

/** Sandbox process to its Python worker, once, with what it needs to start. */
export type WorkerStart = BootFiles & EnvironmentFiles & {
  port: MessagePort;
  /** For HTTP requests; absent if no host is granted. */
  network?: MessagePort;
  fileLimits: FileLimits;
  /** Folders of this machine to show to Python. */
  mounts?: readonly Mount[];
  /** Closed when the worker is gone, and not before. */
  keep: MessagePort;
  /** First byte: 2 raises KeyboardInterrupt in Python. */
  interrupt: SharedArrayBuffer;
  /** What is under way to the host: see `backlog.ts`. */
  backlog: SharedArrayBuffer;
};
