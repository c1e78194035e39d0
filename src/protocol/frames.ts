// Frames between broker and server: packets behind a record separator, a word, and the
// number of a channel. All other lines are of the client, and pass through untouched.
//
// The broker reads only the two words of a frame's header; the packet is for the
// other end of its channel. Channel 0 is the launcher's own.
import { type HeldBody, markHeld } from "./held_body.ts";
import {
  encodePacket,
  joinPacket,
  type Packet,
  type Written,
} from "./packets.ts";
import { encodeMessage } from "./run_messages.ts";

/** The record separator, which can start no line of a client. */
export const MARK = 0x1e;

/** Server to broker; the number of `taken` is a count of bytes. */
export const TO_BROKER = [
  ...["spawn", "to", "pause", "kill", "taken"] as const,
  /** Bodies of the channel's packets stay with the broker, or pass again. */
  ...["hold", "pass"] as const,
  /** A message to the channel, whose body the broker holds. */
  "forward",
] as const;
/** Broker to server; the body of a packet that is `held` is with the broker. */
export const TO_SERVER = ["from", "held", "ended", "taken"] as const;

export type ToBroker = typeof TO_BROKER[number];
export type ToServer = typeof TO_SERVER[number];

export interface Frame<Kind extends ToBroker | ToServer> {
  kind: Kind;
  /** Of a channel; bytes for `taken`. */
  id: number;
  packet: Packet;
}

const SPACE = 32;
const LONGEST_HEADER = 32;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function isFrame({ line }: Packet): boolean {
  return line[0] === MARK;
}

/** Writes a frame, and the body of its packet. */
export function encodeFrame(
  kind: ToBroker | ToServer,
  id: number,
  message: unknown = {},
  body?: Uint8Array<ArrayBuffer>,
): Written {
  return encodePacket(message, body, `\x1e${kind} ${id} `);
}

/** Writes a frame whose packet gets the body that the broker holds. */
export function encodeForward(
  id: number,
  message: unknown,
  held: HeldBody,
): Written {
  const line = markHeld(held, encoder.encode(encodeMessage(message)));
  return wrapPacket("forward", id, { line });
}

/** Puts a packet that nobody has read into a frame. */
export function wrapPacket(
  kind: ToBroker | ToServer,
  id: number,
  packet: Packet,
): Written {
  return joinPacket(packet, encoder.encode(`\x1e${kind} ${id} `));
}

/** The place in a line where the packet of its frame starts. */
export function packetStart(line: Uint8Array): number {
  if (line[0] !== MARK) return line.length;
  const word = line.subarray(0, LONGEST_HEADER).indexOf(SPACE);
  const space = line.subarray(0, LONGEST_HEADER).indexOf(SPACE, word + 1);
  return word < 0 || space < 0 ? line.length : space + 1;
}

/** @throws {TypeError} If the header is not one of this direction. */
export function decodeFrame<Kind extends ToBroker | ToServer>(
  { line, body }: Packet,
  kinds: readonly Kind[],
): Frame<Kind> {
  const header = decoder.decode(
    line.subarray(1, LONGEST_HEADER).map((byte) => byte > 127 ? 63 : byte),
  );
  const [word, digits] = header.split(" ", 2);
  const kind = kinds.find((kind) => kind === word);
  if (kind === undefined || digits === undefined || !/^\d{1,9}$/.test(digits)) {
    throw new TypeError(`Cannot read frame header ${JSON.stringify(header)}`);
  }
  const start = kind.length + digits.length + 3;
  return {
    kind,
    id: Number(digits),
    packet: { line: line.subarray(start), body },
  };
}
