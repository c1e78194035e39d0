import {
  MOST_ENVIRONMENTS,
  type ServerSettings,
} from "../protocol/server_settings.ts";
import { Share } from "../shares.ts";
import { MIB } from "../units.ts";

/** Bytes of answers that clients have not taken. */
const MOST_UNREAD = 128 * MIB;
/** Bodies of the largest size that the server holds at a time. */
const MOST_BODIES = 16;
/** Characters of messages for clients that come back for a stream. */
const MOST_EVENTS = 128_000_000;
/** Artifacts that are being saved. */
export const MOST_DRAFTS = 32;
/** Bytes of whole results, of which clients have got a part. */
const MOST_RESULTS = 32 * MIB;
/** Results of long runs, and their bytes. */
const MOST_KEPT_RUNS = 1000;
const MOST_KEPT_RUN_BYTES = 128 * MIB;
/** Lines of refusals in ten seconds. */
const MOST_REFUSALS = 10;

/** A resource that callers have in common, as docs/limits.md tells of it. */
export interface Resource {
  /** The things that are counted. */
  what: string;
  total(settings: ServerSettings): number;
  /** The total, by default. */
  usual: string;
  /** The items that give way; undefined if each is used until its end. */
  gives?: string;
  /** The fate of what finds no room. */
  refused: string;
}

type Http = NonNullable<ServerSettings["http"]>;

function ofHttp(total: (http: Http) => number): Resource["total"] {
  return ({ http }) => http ? total(http) : 0;
}

const UNREAD_ANSWER = "a client that has taken nothing for 5 s: its connection";

/** One row for each resource. */
export const RESOURCES = {
  connections: {
    what: "connections of HTTP",
    total: ofHttp(({ maxHttpConnections }) => maxHttpConnections),
    usual: "1,000",
    gives:
      "without a request (a caller's own: for 10 s), or not read; then those that listen",
    refused: "the connection is closed; 429 once its caller is known",
  },
  requests: {
    what: "requests that wait for an answer",
    total: ofHttp(({ maxRequests }) => maxRequests),
    usual: "400",
    gives:
      `${UNREAD_ANSWER}; then, for another caller, a request that waits for a long run (it is answered), or that has not come whole`,
    refused: "429",
  },
  bodies: {
    what: "bytes of bodies beyond 64 KiB, until the call ends",
    total: ofHttp(({ maxBodyMiB }) => MOST_BODIES * maxBodyMiB * MIB),
    usual: "256 MiB",
    gives: "a body that has not come whole, for another caller: its connection",
    refused: "429",
  },
  answers: {
    what: "bytes of answers that clients have not taken",
    total: () => MOST_UNREAD,
    usual: "128 MiB",
    gives: UNREAD_ANSWER,
    refused: "a read waits; else 503",
  },
  refusals: {
    what: "lines of refusals in the log, in 10 s",
    total: () => MOST_REFUSALS,
    usual: "10",
    refused: "counted in the next line",
  },
  mcpSessions: {
    what: "MCP sessions",
    total: ofHttp(({ maxMcpSessions }) => maxMcpSessions),
    usual: "1,000",
    gives: "without a request; then those without a call",
    refused: "503",
  },
  events: {
    what: "characters of messages, kept for clients that come back",
    total: () => MOST_EVENTS,
    usual: "128 million",
    gives: "the oldest messages of a session",
    refused: "the message is not kept",
  },
  places: {
    what: "calls of tools, and reads of sessions, that run or wait",
    total: ({ pool: { running, waiting } }) => running + waiting,
    usual: "`--max-concurrency` and 100",
    gives: "a call whose code waits to run, for another caller: `busy`",
    refused: "429",
  },
  turns: {
    what: "runs at a time",
    total: ({ pool: { running } }) => running,
    usual: "`--max-concurrency`",
    refused: "the call waits for its turn",
  },
  installs: {
    what: "calls that wait for packages",
    total: ({ pool: { running, waiting } }) => running + waiting,
    usual: "`--max-concurrency` and 100",
    refused: "`busy`",
  },
  environments: {
    what: "environments that calls had made in a day; half for a caller",
    total: () => MOST_ENVIRONMENTS,
    usual: "100",
    gives: "what was made more than a day ago",
    refused: "`install-error`",
  },
  drafts: {
    what: "artifacts that are being saved",
    total: () => MOST_DRAFTS,
    usual: "32",
    gives: "one that got nothing for 10 s",
    refused: "`RuntimeError` in Python",
  },
  sessions: {
    what: "sessions in memory",
    total: ({ maxSessions }) => maxSessions,
    usual: "by their memory",
    gives: "a session without a call is saved, or ends",
    refused: "`busy`",
  },
  sessionMemory: {
    what: "MiB of sessions in memory",
    total: ({ maxSessionsMiB }) => maxSessionsMiB,
    usual: "`--max-sessions-memory`",
    gives: "a session without a call is saved, or ends",
    refused: "—",
  },
  files: {
    what: "bytes of files of runs",
    total: ({ maxStoredFilesMiB }) => maxStoredFilesMiB * MIB,
    usual: "256 MiB",
    gives: "the files of the oldest run",
    refused: "the file gets no address",
  },
  results: {
    what: "bytes of results that were cut, to read on",
    total: () => MOST_RESULTS,
    usual: "32 MiB",
    gives: "the oldest result",
    refused: "the result gets no address",
  },
  keptRuns: {
    what: "results of long runs",
    total: () => MOST_KEPT_RUNS,
    usual: "1,000",
    gives: "the oldest result",
    refused: "the result is not kept",
  },
  keptRunBytes: {
    what: "bytes of results of long runs",
    total: () => MOST_KEPT_RUN_BYTES,
    usual: "128 MiB",
    gives: "the oldest result",
    refused: "the result is not kept",
  },
} satisfies Record<string, Resource>;

/** Rows of what the keeper's process shares by the same rule. */
export const KEPT_RESOURCES: Record<string, Omit<Resource, "total">> = {
  "stored sessions": {
    what: "bytes of stored sessions",
    usual: "`--max-stored-sessions`",
    gives: "a stored session",
    refused: "the session is not saved",
  },
};

/** The resources of a server, by their rows. */
export type Shares = Record<keyof typeof RESOURCES, Share>;

/** @param others Those that there are already. */
export function openShares(
  settings: ServerSettings,
  others: Partial<Shares> = {},
): Shares {
  const rows: [string, Resource][] = Object.entries(RESOURCES);
  const shares = rows
    .map(([name, { total }]) => [name, new Share(total(settings))] as const);
  return { ...Object.fromEntries(shares) as Shares, ...others };
}
