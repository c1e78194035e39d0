/**
 * The messages between a sandbox process and its Python worker.
 *
 * @module
 */
import { fields } from "../../protocol/fields.ts";
import type { RunFile } from "../../protocol/run_files.ts";
import {
  type Answer,
  type Ending,
  parseEnding,
  parseRunMessage,
  type RunMessage,
  type RunRequest,
} from "../../protocol/run_messages.ts";

/** Sandbox process to its Python worker. */
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
  /** Stops the run of this number; a late interrupt hits no other run. */
  | { type: "interrupt"; id: number };

/** Python worker to its sandbox process. */
export type FromWorker =
  | { type: "ready" }
  | RunMessage
  | { type: "done"; id: number; ending: Ending }
  | { type: "broken"; reason: string };

/**
 * Reads a message of a Python worker.
 *
 * @returns Undefined if it is outside this protocol.
 */
export function parseFromWorker(data: unknown): FromWorker | undefined {
  const { type, id, reason, ending } = fields(data);
  switch (type) {
    case "ready":
      return { type };
    case "broken":
      return typeof reason === "string" ? { type, reason } : undefined;
    case "done": {
      const parsed = parseEnding(ending);
      return parsed && typeof id === "number"
        ? { type, id, ending: parsed }
        : undefined;
    }
    default:
      return parseRunMessage(data);
  }
}
