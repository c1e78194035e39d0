// Bytes that the server has the broker keep, and pass on from one process to another:
// those of a session's state, which the server has no need to read.

import { concat } from "./lines.ts";

/** The bytes behind a packet, which are with the broker. */
export class HeldBody {
  constructor(
    /** Of the process that has sent them. */
    readonly channel: number,
    /** Counts the held bodies of that channel. */
    readonly number: number,
    readonly length: number,
  ) {}
}

/** The bytes behind a packet, wherever they are. */
export type AnyBody = Uint8Array<ArrayBuffer> | HeldBody;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Characters before the message of a packet whose body is held. */
const LONGEST_HEAD = 40;

/** Writes the line of a packet without its body, which is `held`. */
export function markHeld(
  held: HeldBody,
  message: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const { channel, number, length } = held;
  return concat([encoder.encode(`${channel}:${number}:${length} `), message]);
}

/**
 * Reads the line of a packet whose body is held.
 *
 * @throws {TypeError} If it is not such a line.
 */
export function readHeld(
  line: Uint8Array<ArrayBuffer>,
): { held: HeldBody; message: Uint8Array<ArrayBuffer> } {
  const head = decoder.decode(line.subarray(0, LONGEST_HEAD));
  const [all, channel, number, length] =
    /^(\d{1,9}):(\d{1,12}):(\d{1,10}) /.exec(head) ?? [];
  if (all === undefined) {
    throw new TypeError(`Cannot read "${head}" as bytes that are held`);
  }
  return {
    held: new HeldBody(Number(channel), Number(number), Number(length)),
    message: line.subarray(all.length),
  };
}
