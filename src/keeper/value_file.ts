// The file of a value: a line that names format, version and the hash of the next
// line; a line of JSON, the head, with spaces behind it; then the value's bytes.
import { sha256 } from "../disk.ts";
import { fields, isCount } from "../protocol/fields.ts";
import type { Facts, Place } from "../protocol/keeper_messages.ts";

/** The facts about a value that its file begins with. */
export interface Head extends Facts {
  /** The file's own name: a file that was moved to another name is damaged. */
  name: string;
  /** Of the value's bytes. */
  sha256: string;
}

/** Bytes in which each head has room: key and metadata are bounded. */
export const MOST_HEAD = 64 * 1024;
/** The hash in the head of a draft. */
export const NO_HASH: string = "0".repeat(64);

const FORMAT = "mcp-run-python kept ";
/** Increases whenever files of the version before can no longer be read. */
const VERSION = 1;
const NEWLINE = 10;

/** A file that this program cannot have written so. */
export class Damage extends Error {}

/** The name of a value's file, in which its owner and key are hashes. */
export function nameOf({ space, owner, key }: Place): string {
  const hash = sha256(JSON.stringify([space, owner, key])).slice(0, 32);
  return `${ownerName(owner)}.${space}.${hash}.value`;
}

/** The start of the names of an owner's files. */
export function ownerName(owner: string): string {
  return sha256(JSON.stringify(["owner", owner])).slice(0, 32);
}

/** @param length Bytes that the head is to have at least. */
export function encodeHead(head: Head, length = 0): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const encode = (spaces: number) => {
    const json = JSON.stringify(head) + " ".repeat(spaces);
    return encoder.encode(
      `${FORMAT}${VERSION} ${sha256(json)}\n${json}\n`,
    );
  };
  const shortest = encode(0);
  const missing = length - shortest.length;
  return missing > 0 ? encode(missing) : shortest;
}

/**
 * Reads the head at the beginning of a file; gives where the value begins, too.
 *
 * @throws {Damage} If it is not a head as this program writes it.
 * @throws {RangeError} If another version has written it.
 */
export function parseHead(start: Uint8Array): { head: Head; begin: number } {
  const first = start.indexOf(NEWLINE);
  const second = start.indexOf(NEWLINE, first + 1);
  const decoder = new TextDecoder();
  const line = decoder.decode(start.subarray(0, Math.max(0, first)));
  if (!line.startsWith(FORMAT)) throw new Damage("it is not a kept value");
  const [version = "", sum] = line.slice(FORMAT.length).split(" ");
  if (/^\d{1,9}$/.test(version) && version !== String(VERSION)) {
    throw new RangeError(
      `it has version ${version}, and this program reads version ${VERSION}`,
    );
  }
  const json = start.subarray(first + 1, Math.max(0, second));
  const head = second > 0 && version === String(VERSION) && sha256(json) === sum
    ? maybeHead(decoder.decode(json))
    : undefined;
  if (!head) throw new Damage("its head is damaged");
  return { head, begin: second + 1 };
}

/** The facts alone. */
export function factsOf(
  { key, bytes, created, updated, revision, metadata }: Facts,
): Facts {
  const facts = { key, bytes, created, updated, revision };
  return metadata === undefined ? facts : { ...facts, metadata };
}

function maybeHead(json: string): Head | undefined {
  const head = fields(JSON.parse(json));
  const { name, sha256, key, revision, metadata = "" } = head;
  const isHead = [name, sha256, key, revision, metadata]
    .every((text) => typeof text === "string") &&
    [head.bytes, head.created, head.updated].every(isCount);
  if (!isHead) return undefined;
  const { name: own, sha256: hash, ...facts } = head as unknown as Head;
  return { ...factsOf(facts), name: own, sha256: hash };
}
