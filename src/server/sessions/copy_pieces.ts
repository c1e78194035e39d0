import type { Session } from "../pool/pool.ts";

/**
 * The pieces of a session's checkpoint, which is made once they are read: its time
 * is limited, and the reader may have to wait for an interpreter.
 */
export function copyPieces(session: Session): {
  pieces: AsyncIterable<Uint8Array>;
  /** Why they are not all of them, once they are read; empty if they are. */
  reasons: string[];
} {
  const reasons: string[] = [];
  return { pieces: save(session, reasons), reasons };
}

async function* save(session: Session, reasons: string[]) {
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  session.save((piece) => writer.write(piece)).then((outcome) => {
    if ("reasons" in outcome) reasons.push(...outcome.reasons);
    return reasons.length > 0 ? writer.abort(reasons) : writer.close();
  }).catch((error) => writer.abort(error)).catch(() => {
    // The reader is gone.
  });
  yield* readable;
}
