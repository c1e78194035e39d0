// The file of a value: a line that names format, version and the hash of the next
// line; a line of JSON, the head; then the value's bytes.
import { createHash } from "node:crypto";
import { fields, isCount } from "../protocol/fields.ts";
import type { Facts, Place } from "../protocol/state_messages.ts";

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

const FORMAT = "mcp-run-python state ";
const VERSION = 1;
const NEWLINE = 10;

/** A file that no version of this program can read, or has written so. */
export class Damage extends Error {}

/** The name of a value's file, in which its owner and key are hashes. */
export function nameOf({ space, owner, key }: Place): string {
  return `${ownerName(owner)}.${space}.${
    hash(JSON.stringify([space, owner, key])).slice(0, 32)
  }.value`;
}

/** The start of the names of an owner's files. */
export function ownerName(owner: string): string {
  return hash(JSON.stringify(["owner", owner])).slice(0, 32);
}

/** The head has the same length whatever the hash. */
export function encodeHead(head: Head): Uint8Array<ArrayBuffer> {
  const json = JSON.stringify(head);
  const line = `${FORMAT}${VERSION} ${hash(json)}\n${json}\n`;
  return new TextEncoder().encode(line);
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
  const head = second > 0 && version === String(VERSION) && hash(json) === sum
    ? maybeHead(decoder.decode(json))
    : undefined;
  if (!head) throw new Damage("its head is damaged");
  return { head, begin: second + 1 };
}

/** The facts alone. */
export function factsOf(
  { key, bytes, created, updated, revision, metadata }: Facts,
): Facts {
  return {
    ...{ key, bytes, created, updated, revision },
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export function hash(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function maybeHead(json: string): Head | undefined {
  const { name, sha256, key, bytes, created, updated, revision, metadata } =
    fields(JSON.parse(json));
  const isText = (data: unknown): data is string => typeof data === "string";
  return isText(name) && isText(sha256) && isText(key) && isText(revision) &&
      isCount(bytes) && isCount(created) && isCount(updated) &&
      (metadata === undefined || isText(metadata))
    ? {
      ...factsOf({
        ...{ key, bytes, created, updated, revision },
        ...(metadata === undefined ? {} : { metadata }),
      }),
      ...{ name, sha256 },
    }
    : undefined;
}
