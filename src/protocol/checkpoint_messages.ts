// How an interpreter is saved: from its worker to its sandbox process, and from
// there to the server.
import { fields, is, readMessage } from "./fields.ts";
import { isPiece } from "./run_messages.ts";

/** A piece of a checkpoint, by default one that is here; the pieces come in order. */
export interface CheckpointPiece<Piece = Uint8Array<ArrayBuffer>> {
  type: "piece";
  bytes: Piece;
}

/** The last message of a save. */
export type SaveEnd =
  /** Bytes of all pieces. */
  | { type: "saved"; bytes: number }
  /** The interpreter goes on; sentences for its user. If it is busy, it may rest later. */
  | { type: "unsaved"; reasons: string[]; isBusy?: true };

/** Pieces on their way to a server, which tells each that it has taken. */
export const PIECES_UNDER_WAY = 4;

const MOST_REASONS = 20;
const LONGEST_REASON = 500;

const FORMS = {
  piece: { bytes: isPiece },
  saved: { bytes: is.count },
  unsaved: { reasons: is.list },
};

/** Undefined if the data is not such a message. */
export function parseSaveMessage(
  data: unknown,
): CheckpointPiece | SaveEnd | undefined {
  const message = readMessage(data, FORMS);
  if (message?.type !== "unsaved") return message;
  const texts = message.reasons.slice(0, MOST_REASONS).filter(is.text);
  const reasons = texts.map((one) => one.slice(0, LONGEST_REASON));
  const isBusy = fields(data).isBusy === true;
  return { type: "unsaved", reasons, ...isBusy && { isBusy } };
}
