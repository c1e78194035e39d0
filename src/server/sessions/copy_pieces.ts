import type { Session } from "../pool/pool.ts";

/** The pieces of a session's checkpoint as they come, to be read or cancelled. */
export function copyPieces(session: Session): {
  pieces: ReadableStream<Uint8Array>;
  /** Why they are not all of them; empty if they are. */
  reasons: Promise<string[]>;
} {
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const reasons = session.save((piece) => writer.write(piece))
    .then(async (outcome) => {
      const found = "reasons" in outcome ? outcome.reasons : [];
      const end = found.length > 0 ? writer.abort(found) : writer.close();
      // The reader may be gone.
      await end.catch(() => {});
      return found;
    });
  return { pieces: readable, reasons };
}
