// The messages of an interpreter's worker to its sandbox process, which takes them for
// hostile: code may have taken the worker over.
import { fields, readForm } from "../../protocol/fields.ts";
import {
  type CheckpointPiece,
  parseSaveMessage,
  type SaveEnd,
} from "../../protocol/checkpoint_messages.ts";
import {
  type Ending,
  parseEnding,
  parseRunMessage,
  type RunMessage,
} from "../../protocol/run_messages.ts";
import { ANEW, type Anew } from "../../protocol/rewinding.ts";

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

/** Reads a message of a worker; undefined if it is outside this protocol. */
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
