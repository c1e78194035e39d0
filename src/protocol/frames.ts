// Frames between broker, server and sandbox processes: a line that starts with
// the record separator. All other lines are MCP and pass through untouched.
//
// The broker reads only the two words of a frame's header; the payload is for the
// other end.
import { concat } from "./lines.ts";
import { encodeMessage } from "./run_messages.ts";

/** The record separator, which can start no MCP line. */
export const MARK = 0x1e;

const FRAME_KINDS = [
  ...["settings", "spawn", "kill", "to", "from", "ended", "install"],
  ...["installing", "installed", "call", "reply", "eof", "taken", "overlong"],
  ...["log", "store", "stored", "listening", "audit"],
  ...["servers", "configured", "connect", "state", "kept"],
] as const;

type FrameKind = typeof FRAME_KINDS[number];

export interface Frame {
  kind: FrameKind;
  /** Of the sandbox process, install, call or request; bytes for `taken` and `overlong`. */
  id: number;
  /** JSON, unread. */
  payload: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });
const LONGEST_HEADER = 32;

export function isFrame(line: Uint8Array): boolean {
  return line[0] === MARK;
}

/** Writes a frame as a line, newline included. */
export function encodeFrame(
  kind: FrameKind,
  id: number,
  payload: Uint8Array | unknown = {},
): Uint8Array<ArrayBuffer> {
  return concat([
    encoder.encode(`\x1e${kind} ${id} `),
    payload instanceof Uint8Array
      ? payload
      : encoder.encode(encodeMessage(payload)),
    encoder.encode("\n"),
  ]);
}

/** @throws {TypeError} If the header is not one of this protocol. */
export function decodeFrame(line: Uint8Array<ArrayBuffer>): Frame {
  const header = decoder.decode(
    line.subarray(1, LONGEST_HEADER).map((byte) => byte > 127 ? 63 : byte),
  );
  const [word, digits] = header.split(" ", 2);
  const kind = FRAME_KINDS.find((kind) => kind === word);
  if (kind === undefined || digits === undefined || !/^\d{1,9}$/.test(digits)) {
    throw new TypeError(`Cannot read frame header ${JSON.stringify(header)}`);
  }
  return {
    kind,
    id: Number(digits),
    payload: line.subarray(kind.length + digits.length + 3),
  };
}

/** @throws {TypeError | SyntaxError} If the payload is not JSON in UTF-8. */
export function readPayload(frame: Frame): unknown {
  return JSON.parse(decoder.decode(frame.payload));
}
