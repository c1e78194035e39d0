// A packet is a message from process to process, maybe with bytes behind it, which
// are raw: `{json}` and a newline, or `+<bytes> {json}`, a newline and the bytes.
import {
  type ByteSource,
  concat,
  type LineAndBody,
  type LineBounds,
  NEWLINE,
  readBodies,
} from "./lines.ts";
import { encodeMessage } from "./run_messages.ts";

/** A packet, unread. */
export type Packet = LineAndBody;

type Bytes = Uint8Array<ArrayBuffer>;

const PLUS = 43;
/** A plus, the digits of a size, and a space. */
const LONGEST_SIZE = 12;
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/** A packet as it is written: a line with its newline, and maybe bytes, uncopied. */
export type Written = [line: Bytes, ...body: Bytes[]];

/**
 * Writes a packet.
 *
 * @param before Text that stands before it in its line.
 */
export function encodePacket(
  message: unknown,
  body?: Bytes,
  before = "",
): Written {
  const size = body ? toSize(body) : "";
  const line = encoder.encode(`${before}${size}${encodeMessage(message)}\n`);
  return body ? [line, body] : [line];
}

/** What stands before the message of a packet that has this body. */
export function sizeBefore(body: Bytes | undefined): Bytes {
  return encoder.encode(body ? toSize(body) : "");
}

function toSize({ length }: Bytes): string {
  return `+${length} `;
}

/** Bytes of what is written. */
export function sizeOf(pieces: Written): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Writes a packet again, unread, behind other bytes. */
export function joinPacket(
  { line, body }: Packet,
  before: Uint8Array = new Uint8Array(),
): Written {
  return [concat([before, line, NEWLINE]), ...body ? [body] : []];
}

/**
 * Reads the message of a packet.
 *
 * @throws {TypeError | SyntaxError} If it is not JSON in UTF-8.
 */
export function decodePacket({ line, body }: Packet): unknown {
  const start = body ? line.indexOf(32) + 1 : 0;
  return JSON.parse(decoder.decode(line.subarray(start)));
}

/**
 * Splits a byte stream into packets. A last packet that is not whole is dropped: its
 * writer died in the middle of it.
 *
 * @param start Gives the place in a line where its packet starts; the end of the line
 * if it is not a packet.
 * @throws {RangeError} If a line or body is longer.
 * @throws {TypeError} If a body has no size.
 */
export function readPackets(
  source: ByteSource,
  most: LineBounds,
  start: (line: Uint8Array) => number = () => 0,
): AsyncGenerator<Packet> {
  return readBodies(source, most, (line) => readSize(line, start(line)));
}

/** The size of the body behind a line; undefined if the line tells of none. */
function readSize(line: Uint8Array, start: number): number | undefined {
  if (line[start] !== PLUS) return undefined;
  const head = String.fromCharCode(
    ...line.subarray(start, start + LONGEST_SIZE),
  );
  const digits = /^\+(\d{1,10}) /.exec(head)?.[1];
  if (digits === undefined) {
    throw new TypeError(`Cannot read a size in ${JSON.stringify(head)}`);
  }
  return Number(digits);
}
