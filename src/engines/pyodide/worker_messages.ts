import type { Mount } from "../../grants/mounts.ts";
import { fields, readForm } from "../../protocol/fields.ts";
import {
  type CheckpointPiece,
  parseSaveMessage,
  type SaveEnd,
} from "../../protocol/checkpoint_messages.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import {
  type Answer,
  type Ending,
  parseEnding,
  parseRunMessage,
  type RunMessage,
  type RunRequest,
} from "../../protocol/run_messages.ts";
import { ANEW, type Anew } from "../../protocol/rewinding.ts";
import type { RunSetup } from "../../protocol/run_setup.ts";
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
  | {
    type: "run";
    /** Number of the run in its interpreter. */
    id: number;
    request: RunRequest;
    files: RunFile[];
    wantsFiles: boolean;
  }
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

/** Python worker to its sandbox process. */
export type FromWorker =
  | { type: "ready" }
  | RunMessage
  | CheckpointPiece
  | SaveEnd
  | { type: "done"; id: number; ending: Ending }
  | Rewound
  | { type: "broken"; reason: string };

/** The end of a keep or of a rewind; the worker must be ended if it is not clean. */
export interface Rewound {
  type: "rewound";
  anew?: Anew;
}

/** Reads a message of a Python worker; undefined if it is outside this protocol. */
export function parseFromWorker(data: unknown): FromWorker | undefined {
  const { type, id, reason, ending, anew } = fields(data);
  switch (type) {
    case "ready":
      return { type };
    case "rewound": {
      if (anew === undefined) return { type };
      const parsed = readForm(anew, ANEW);
      return parsed && { type, anew: parsed };
    }
    case "broken":
      return typeof reason === "string" ? { type, reason } : undefined;
    case "done": {
      const parsed = parseEnding(ending);
      return parsed && typeof id === "number"
        ? { type, id, ending: parsed }
        : undefined;
    }
    default:
      return parseSaveMessage(data) ?? parseRunMessage(data);
  }
}
