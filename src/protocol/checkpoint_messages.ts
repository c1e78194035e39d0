// How an interpreter is saved: from its worker to its sandbox process, and from
// there to the server.
import { fields } from "./fields.ts";
import { isCount } from "./fields.ts";
import { maybeBytes } from "./run_messages.ts";

/** A piece of a checkpoint; the pieces come in order. */
export interface CheckpointPiece {
  type: "piece";
  bytes: Uint8Array<ArrayBuffer>;
}

/** The last message of a save. */
export type SaveEnd =
  /** Bytes of all pieces. */
  | { type: "saved"; bytes: number }
  /** The interpreter goes on; sentences for its user. */
  | { type: "unsaved"; reasons: string[] };

/** Pieces on their way to a server, which tells each that it has taken. */
export const PIECES_UNDER_WAY = 4;

const MOST_REASONS = 20;
const LONGEST_REASON = 500;

/** Undefined if the data is not such a message. */
export function parseSaveMessage(
  data: unknown,
): CheckpointPiece | SaveEnd | undefined {
  const { type, bytes, reasons } = fields(data);
  switch (type) {
    case "piece": {
      const piece = maybeBytes(bytes);
      return piece && { type, bytes: piece };
    }
    case "saved":
      return isCount(bytes) ? { type, bytes } : undefined;
    case "unsaved": {
      if (!Array.isArray(reasons)) return undefined;
      const texts = reasons.slice(0, MOST_REASONS).filter((one) =>
        typeof one === "string"
      );
      return {
        type,
        reasons: texts.map((one) => one.slice(0, LONGEST_REASON)),
      };
    }
  }
}
