import { type AnyBody, HeldBody } from "../../src/protocol/held_body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes of a body that comes without a broker, which alone holds bodies. */
export function bytesOf(body: AnyBody): Bytes {
  if (body instanceof HeldBody) throw new TypeError("A broker holds a body");
  return body;
}

/** Takes the pieces of a checkpoint into a list. */
export function takeInto(pieces: Bytes[]): (piece: AnyBody) => Promise<void> {
  return (piece) => {
    pieces.push(bytesOf(piece));
    return Promise.resolve();
  };
}
