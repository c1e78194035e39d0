import type { RunFile } from "../../protocol/run_files.ts";
import type { RunRequest } from "../../protocol/run_messages.ts";

/** Sandbox process to the worker of any engine: runs code. */
export interface RunOrder {
  type: "run";
  /** Number of the run in its worker. */
  id: number;
  request: RunRequest;
  files: RunFile[];
  wantsFiles: boolean;
  /** Whether the interpreter stays for another run. */
  isKept?: boolean;
}
