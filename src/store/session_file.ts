// A stored session: a header of fixed length, then the body. The header is a line
// that names format and version, a line of JSON, and spaces.
import { createHash, type Hash } from "node:crypto";
import { fields, isCount } from "../protocol/fields.ts";
import {
  isHash,
  parseMeta,
  type SessionMeta,
} from "../protocol/store_messages.ts";

export interface Header {
  meta: SessionMeta;
  /** Bytes of the body. */
  size: number;
  /** Of meta and body. */
  sha256: string;
}

export const HEADER_BYTES = 4096;

const FORMAT = "mcp-run-python session ";
const VERSION = 1;

/** A file that no version of this program can read, or has written so. */
export class Damage extends Error {}

/** @throws {RangeError} If the texts of the session's facts are too long. */
export function encodeHeader(
  { meta, size, sha256 }: Header,
): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify({ meta, size, sha256 });
  const block = new Uint8Array(HEADER_BYTES).fill(32);
  const bytes = new TextEncoder().encode(`${FORMAT}${VERSION}\n${text}\n`);
  if (bytes.length > HEADER_BYTES) {
    throw new RangeError(
      `Cannot store facts of ${bytes.length} bytes, as a header has ${HEADER_BYTES}`,
    );
  }
  block.set(bytes);
  return block;
}

/**
 * @throws {Damage} If it is not a header as this program writes it.
 * @throws {RangeError} If another version has written it.
 */
export function parseHeader(block: Uint8Array): Header {
  const [line = "", json = ""] = new TextDecoder().decode(block).split("\n", 2);
  if (!line.startsWith(FORMAT)) throw new Damage("it is not a session");
  const version = line.slice(FORMAT.length);
  if (/^\d{1,9}$/.test(version) && version !== String(VERSION)) {
    throw new RangeError(
      `it has version ${version}, and this program reads version ${VERSION}`,
    );
  }
  const header = maybeHeader(json);
  // Whatever else a header may hold: it is as we write it, to the last byte.
  if (header && isEqual(encodeHeader(header), block)) return header;
  throw new Damage("its header is damaged");
}

/** The hash of a session's facts, which that of its body continues. */
export function startHash(meta: SessionMeta): Hash {
  return createHash("sha256").update(JSON.stringify(meta));
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length &&
    one.every((byte, index) => byte === other[index]);
}

function maybeHeader(json: string): Header | undefined {
  try {
    const { meta, size, sha256 } = fields(JSON.parse(json));
    const parsed = parseMeta(meta);
    return parsed && isCount(size) && isHash(sha256)
      ? { meta: parsed, size, sha256 }
      : undefined;
  } catch {
    return undefined;
  }
}
