// The messages between the server and a keeper, the process that alone reads and
// writes a folder of values: saved sessions, or what outlives sessions of code mode.
// Each request is answered once. Bytes go as the body of a message.
import { fields, isCount } from "./fields.ts";
import { PIECE_BYTES } from "./run_files.ts";
import { MIB } from "../units.ts";

/** Kinds of values, with bounds of their own. */
const SPACES = [
  ...["sessions", "leases", "servers"] as const,
  ...["tools", "memory", "artifacts", "catalog"] as const,
] as const;

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

/** Server to keeper. */
export type ToKeeper =
  | { type: "list"; space: Space; owner: string }
  /** Reads the body of a text, or the facts of any value. */
  | ({ type: "get" | "info" } & Place)
  /**
   * Writes its body whole or not at all. With a revision, it only replaces that; an
   * empty revision only makes a new value.
   */
  | ({ type: "put"; metadata?: string; ifRevision?: string } & By & Place)
  /** With a revision, it removes no other. */
  | ({ type: "delete"; ifRevision?: string } & IfLease & Place)
  /**
   * Opens a draft, under a number that the server chooses; with a size, it takes so
   * many bytes, and no others. Values that may be dropped go by the time of their use.
   */
  | (
    & { type: "begin"; draft: number; size?: number; used?: number }
    & { metadata?: string }
    & Place
  )
  /** Its body is the next piece. */
  | { type: "append"; draft: number }
  /** Puts a draft that has all its bytes in the place of an older value. */
  | ({ type: "commit"; draft: number } & By & IfLease)
  | { type: "abort"; draft: number }
  /**
   * Reads a piece of a value; with a revision, of no other. The first piece is given
   * only if the whole value is as it was written.
   */
  | (
    & { type: "read"; offset: number; length: number; revision?: string }
    & Place
  );

interface By {
  /** Time after which it is not to be done any more, as its asker has given up. */
  by?: number;
}

interface IfLease {
  /** Nothing is done unless this is the revision of its owner's and key's lease. */
  ifLease?: string;
}

/** Bytes of all values, and those that there may be. */
export interface Room {
  bytes: number;
  totalBytes: number;
}

/** Keeper to server. A reason ends a sentence that names the value. */
export type FromKeeper =
  | { type: "listed"; entries: Facts[] }
  /** The body is the value, or a piece of it. */
  | { type: "found"; facts: Facts }
  | { type: "absent" }
  /** The values of these keys made room for it. */
  | { type: "done"; facts?: Facts; dropped?: string[]; room?: Room }
  /** The value is not of the revision that was named. */
  | { type: "conflict" }
  /** It would be more than there may be: the bound and the remedy. */
  | { type: "full"; reason: string }
  /** The value's file is damaged; that of a session is removed. */
  | { type: "damaged"; reason: string }
  | { type: "failed"; reason: string };

/** What a folder may hold; a file counts with its head. */
export interface KeeperBounds {
  /** Spaces that are not named hold nothing. */
  spaces: Partial<
    Record<Space, {
      /** Of a value. */
      bytes: number;
      /** Of an owner. */
      values: number;
    }>
  >;
  /** Of all values of an owner. */
  ownerBytes: number;
  /** Of all values. */
  totalBytes: number;
  /** Of all owners. */
  totalValues: number;
}

/** Characters of a key. */
export const LONGEST_KEY = 256;
/** Characters of JSON text beside a value. */
export const LONGEST_METADATA = 4096;
/** Bytes of a value that is written or read as one text. */
export const LONGEST_TEXT: number = 8 * MIB;
const LONGEST_OWNER = 4096;
const LONGEST_REVISION = 64;

/** The longest line of a keeper, in or out: a list of all values of an owner. */
export const KEEPER_LINE: number = 32 * MIB;
/** The longest body. */
export const KEEPER_BODY: number = LONGEST_TEXT;

/** What is kept of code mode, in the folder of `--state-dir`. */
export const STATE_BOUNDS: KeeperBounds = {
  spaces: {
    tools: { bytes: 256 * 1024, values: 200 },
    memory: { bytes: MIB, values: 1000 },
    artifacts: { bytes: 64 * MIB, values: 200 },
    catalog: { bytes: LONGEST_TEXT, values: 200 },
  },
  ownerBytes: 256 * MIB,
  totalBytes: 1024 * MIB,
  totalValues: 10_000,
};

/** Sessions of an owner whose servers are known; the longest unchanged make room. */
const MOST_LEASES = 10_000;
/** Servers that share a folder, and those that were killed. */
const MOST_SERVERS = 1000;

/** The folder of `--session-store`: the least recently used sessions make room. */
export function sessionBounds(bytes: number, totalBytes: number): KeeperBounds {
  const values = Number.MAX_SAFE_INTEGER;
  return {
    spaces: {
      sessions: { bytes, values },
      leases: { bytes: 0, values: MOST_LEASES },
      servers: { bytes: 0, values: MOST_SERVERS },
    },
    ownerBytes: totalBytes,
    totalBytes,
    totalValues: values,
  };
}

const isText = (most: number) => (data: unknown) =>
  typeof data === "string" && data.length <= most;

const CHECKS: Record<string, (data: unknown) => boolean> = {
  space: (data) => SPACES.some((space) => space === data),
  owner: isText(LONGEST_OWNER),
  key: (data) => typeof data === "string" && refuseKey(data) === undefined,
  metadata: isText(LONGEST_METADATA),
  ifRevision: isText(LONGEST_REVISION),
  ifLease: isText(LONGEST_REVISION),
  revision: isText(LONGEST_REVISION),
  length: (data) => isCount(data) && data <= PIECE_BYTES,
  draft: isCount,
  size: isCount,
  used: isCount,
  offset: isCount,
  by: isCount,
};

const PLACE = ["space", "owner", "key"];

/** The fields of each request, those that it may have, and the bytes of its body. */
const FORMS: Record<
  ToKeeper["type"],
  { has: string[]; may?: string[]; body?: number }
> = {
  list: { has: ["space", "owner"] },
  get: { has: PLACE },
  info: { has: PLACE },
  put: {
    has: PLACE,
    may: ["metadata", "ifRevision", "by"],
    body: LONGEST_TEXT,
  },
  delete: { has: PLACE, may: ["ifRevision", "ifLease"] },
  begin: { has: [...PLACE, "draft"], may: ["size", "used", "metadata"] },
  append: { has: ["draft"], body: PIECE_BYTES },
  commit: { has: ["draft"], may: ["by", "ifLease"] },
  abort: { has: ["draft"] },
  read: { has: [...PLACE, "offset", "length"], may: ["revision"] },
};

/**
 * Reads a request, and no field more: the server needs no more rights than these.
 *
 * @throws {TypeError} If it is of another form.
 */
export function parseToKeeper(data: unknown, body?: Uint8Array): ToKeeper {
  const given = fields(data);
  const { type } = given;
  const form = typeof type === "string" && Object.hasOwn(FORMS, type)
    ? FORMS[type as ToKeeper["type"]]
    : undefined;
  const request: Record<string, unknown> = { type };
  const take = (name: string) =>
    CHECKS[name]?.(request[name] = given[name]) === true;
  const isWhole = form?.has.every(take) &&
    (form.may ?? []).every((name) => given[name] === undefined || take(name)) &&
    (form.body === undefined
      ? body === undefined
      : body !== undefined && body.length <= form.body);
  if (!isWhole) {
    throw new TypeError(`Cannot obey a request "${type}" of another form`);
  }
  return request as ToKeeper;
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
