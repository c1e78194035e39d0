// The messages between the server and the process that keeps what outlives
// sessions, in the folder of `--state-dir`: saved tools, memory, artifacts, and
// tool lists of downstream servers. Each request is answered once; a request and
// its answer share the number of their frames.
import { MIB } from "../units.ts";
import { LONGEST_ESCAPE } from "./bounds.ts";
import { fields, isCount, maybeBase64 } from "./fields.ts";
import { PIECE_BYTES } from "./run_files.ts";

/** What is kept apart, with bounds of its own. */
const SPACES = ["tools", "memory", "artifacts", "catalog"] as const;

export type Space = typeof SPACES[number];

/** The place of a value; each part is any text, of bounded length. */
export interface Place {
  space: Space;
  /** The client that the value belongs to; empty for the catalog. */
  owner: string;
  key: string;
}

/** The facts about a value; times are in ms since 1970. */
export interface Facts {
  key: string;
  bytes: number;
  created: number;
  updated: number;
  /** Changes with each write. */
  revision: string;
  /** JSON text that was given with the value. */
  metadata?: string;
}

/** Server to state process. */
export type ToState =
  | { type: "list"; space: Space; owner: string }
  | ({ type: "get" } & Place)
  /**
   * Writes a value whole or not at all. With a revision, it only replaces that;
   * an empty revision only makes a new value.
   */
  | (
    & { type: "put"; text: string; metadata?: string; ifRevision?: string }
    & Place
  )
  | ({ type: "delete" } & Place)
  /** Opens a draft of so many bytes, under a number that the server chooses. */
  | ({ type: "begin"; draft: number; size: number; metadata?: string } & Place)
  | { type: "append"; draft: number; bytes: Uint8Array<ArrayBuffer> }
  /** Puts a draft that has all its bytes in the place of an older value. */
  | { type: "commit"; draft: number }
  | { type: "abort"; draft: number }
  /** Reads the facts of a value alone. */
  | ({ type: "info" } & Place)
  /** Reads a piece of a value; with a revision, of no other. */
  | (
    & { type: "read"; offset: number; length: number; revision?: string }
    & Place
  );

/** State process to server. */
export type FromState =
  | { type: "listed"; entries: Facts[] }
  | { type: "found"; facts: Facts; text: string }
  | { type: "piece"; facts: Facts; bytes: Uint8Array<ArrayBuffer> }
  | { type: "absent" }
  | { type: "done"; facts?: Facts }
  /** The value is not of the revision that was named. */
  | { type: "conflict" }
  /** It would be more than there may be: a sentence that names bound and remedy. */
  | { type: "full"; reason: string }
  /** A sentence that names the value and the remedy. */
  | { type: "failed"; reason: string }
  /** The broker says so of a process that did not answer any more. */
  | { type: "ended"; reason: string };

/** Characters of a key. */
export const LONGEST_KEY = 256;
/** Characters of JSON text beside a value. */
export const LONGEST_METADATA = 4096;
/** Bytes of a value that is written or read as one text. */
export const LONGEST_TEXT: number = 8 * MIB;
const LONGEST_OWNER = 4096;

/** The longest line of the process, in or out. */
export const STATE_LINE: number = LONGEST_ESCAPE * LONGEST_TEXT + 64 * 1024;

/** Reads the payload of a server's frame; the server needs no more rights than these. */
export function parseToState(data: unknown): ToState {
  const { type, owner, text, draft, bytes, size, offset, length, ...rest } =
    fields(data);
  const place = maybePlace(data);
  const more = maybeMore(rest);
  switch (type) {
    case "list": {
      const space = SPACES.find((space) => space === rest["space"]);
      if (space && isOwner(owner)) return { type, space, owner };
      break;
    }
    case "get":
    case "info":
    case "delete":
      if (place) return { type, ...place };
      break;
    case "put":
      if (place && more && typeof text === "string") {
        return { type, ...place, text, ...more };
      }
      break;
    case "begin":
      if (place && more && isCount(draft) && isCount(size)) {
        const { metadata } = more;
        const extra = metadata === undefined ? {} : { metadata };
        return { type, ...place, draft, size, ...extra };
      }
      break;
    case "append": {
      const parsed = typeof bytes === "string" ? maybeBase64(bytes) : undefined;
      if (isCount(draft) && parsed && parsed.length <= PIECE_BYTES) {
        return { type, draft, bytes: parsed };
      }
      break;
    }
    case "commit":
    case "abort":
      if (isCount(draft)) return { type, draft };
      break;
    case "read": {
      const { revision } = rest;
      const isPiece = isCount(offset) && isCount(length) &&
        length <= PIECE_BYTES;
      if (place && isPiece && isMaybeText(revision, 64)) {
        const extra = revision === undefined ? {} : { revision };
        return { type, ...place, offset, length, ...extra };
      }
    }
  }
  throw new TypeError(`Cannot obey a request "${type}" of another form`);
}

/** Reads without checks: the state process is trusted. */
export function decodeFromState(text: string): FromState {
  const message = JSON.parse(text);
  return message.type === "piece"
    ? { ...message, bytes: Uint8Array.fromBase64(message.bytes) }
    : message;
}

/** Why a text cannot be a key; undefined if it can. */
export function refuseKey(key: string): string | undefined {
  if (key === "") return "it is empty";
  if (!key.isWellFormed()) return "it has half of a surrogate pair";
  if (key.length <= LONGEST_KEY) return undefined;
  // A character may take two places of a string.
  const length = key.length > 4 * LONGEST_KEY ? key.length : [...key].length;
  if (length <= LONGEST_KEY) return undefined;
  return `it has ${length} characters, and may have ${LONGEST_KEY}`;
}

function maybePlace(data: unknown): Place | undefined {
  const { space, owner, key } = fields(data);
  const known = SPACES.find((one) => one === space);
  return known && isOwner(owner) && typeof key === "string" &&
      refuseKey(key) === undefined
    ? { space: known, owner, key }
    : undefined;
}

function maybeMore({ metadata, ifRevision }: Record<string, unknown>) {
  if (!isMaybeText(metadata, LONGEST_METADATA)) return undefined;
  if (!isMaybeText(ifRevision, 64)) return undefined;
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(ifRevision === undefined ? {} : { ifRevision }),
  };
}

function isOwner(data: unknown): data is string {
  return typeof data === "string" && data.length <= LONGEST_OWNER;
}

function isMaybeText(data: unknown, most: number): data is string | undefined {
  return data === undefined || typeof data === "string" && data.length <= most;
}
