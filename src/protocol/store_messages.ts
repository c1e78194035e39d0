// The messages between the server and the store of sessions. Each request is
// answered once; a request and its answer share the number of their frames.
import { fields, isCount, maybeBase64 } from "./fields.ts";
import { LONGEST_PIECE, PIECE_BYTES } from "./run_files.ts";

/** The facts about a stored session; times are in ms since 1970. */
export interface SessionMeta {
  /** The client that the session belongs to. */
  owner: string;
  /** Id of the environment, in which alone the session can go on. */
  environment: string;
  created: number;
  used: number;
  runs: number;
}

/** Server to store. */
export type ToStore =
  /** Opens a draft, under a number that the server chooses. */
  | { type: "begin"; draft: number; key: string; meta: SessionMeta }
  | { type: "append"; draft: number; bytes: Uint8Array<ArrayBuffer> }
  /** Puts the draft in the place of an older file of its key. */
  | { type: "commit"; draft: number }
  | { type: "abort"; draft: number }
  | { type: "load"; key: string; environment: string }
  /** Reads on in the file that was loaded, which its hash names. */
  | { type: "read"; key: string; sha256: string; offset: number }
  | { type: "remove"; key: string };

/** Store to server. */
export type FromStore =
  | { type: "done" }
  /** The draft is in place; the files of these keys made room for it. */
  | { type: "stored"; dropped: string[] }
  | { type: "loaded"; meta: SessionMeta; size: number; sha256: string }
  | { type: "absent" }
  | { type: "piece"; bytes: Uint8Array<ArrayBuffer> }
  | { type: "failed"; reason: string }
  /** The broker says so of a store that did not answer any more. */
  | { type: "ended"; reason: string };

/** The longest line of a store, in or out; a file's header is shorter than a piece. */
export const STORE_LINE: number = LONGEST_PIECE + 64 * 1024;

/** Reads the payload of a server's frame; the server needs no more rights than these. */
export function parseToStore(data: unknown): ToStore {
  const { type, draft, key, meta, bytes, environment, sha256, offset } = fields(
    data,
  );
  const isDraft = isCount(draft);
  switch (type) {
    case "begin": {
      const parsed = parseMeta(meta);
      if (isDraft && isKey(key) && parsed) {
        return { type, draft, key, meta: parsed };
      }
      break;
    }
    case "append": {
      const parsed = typeof bytes === "string" ? maybeBase64(bytes) : undefined;
      if (isDraft && parsed && parsed.length <= PIECE_BYTES) {
        return { type, draft, bytes: parsed };
      }
      break;
    }
    case "commit":
    case "abort":
      if (isDraft) return { type, draft };
      break;
    case "load":
      if (isKey(key) && typeof environment === "string") {
        return { type, key, environment };
      }
      break;
    case "read":
      if (isKey(key) && isHash(sha256) && isCount(offset)) {
        return { type, key, sha256, offset };
      }
      break;
    case "remove":
      if (isKey(key)) return { type, key };
  }
  throw new TypeError(`Cannot obey a request "${type}" of another form`);
}

/** Undefined if the data is outside this protocol. */
export function parseMeta(data: unknown): SessionMeta | undefined {
  const { owner, environment, created, used, runs } = fields(data);
  return typeof owner === "string" && typeof environment === "string" &&
      isCount(created) && isCount(used) && isCount(runs)
    ? { owner, environment, created, used, runs }
    : undefined;
}

/** Reads without checks: the store is trusted. */
export function decodeFromStore(text: string): FromStore {
  const message = JSON.parse(text);
  return message.type === "piece"
    ? { ...message, bytes: Uint8Array.fromBase64(message.bytes) }
    : message;
}

/** Names of files are made of keys. */
function isKey(data: unknown): data is string {
  return typeof data === "string" && /^[0-9a-f]{32}$/.test(data);
}

export function isHash(data: unknown): data is string {
  return typeof data === "string" && /^[0-9a-f]{64}$/.test(data);
}
