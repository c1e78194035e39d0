import type { Session } from "../pool/pool.ts";

/**
 * Gives the pieces of a session's checkpoint as they come, each once the piece
 * before is taken.
 *
 * @throws {RangeError} While they are read, if the session cannot be saved.
 */
export function copyPieces(session: Session): AsyncIterable<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  session.save((piece) => writer.write(piece)).then((outcome) => {
    if (!("reasons" in outcome)) return writer.close();
    return writer.abort(new RangeError(outcome.reasons.join("; ")));
  }).catch((error) => writer.abort(error)).catch(() => {});
  return readable;
}
