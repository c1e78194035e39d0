// The messages between the server and the process that keeps what outlives
// sessions, in the folder of `--state-dir`: saved tools, memory, artifacts, and
// tool lists of downstream servers. Each request is answered once; a request and
// its answer share the number of their frames.

/** What is kept apart, with bounds of its own. */
export const SPACES = ["tools", "memory", "artifacts", "catalog"] as const;

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
  | ({ type: "delete" } & Place);

/** State process to server. */
export type FromState =
  | { type: "listed"; entries: Facts[] }
  | { type: "found"; facts: Facts; text: string }
  | { type: "absent" }
  | { type: "done"; facts?: Facts }
  /** The value is not of the revision that was named. */
  | { type: "conflict" }
  /** A sentence that names the value and the remedy. */
  | { type: "failed"; reason: string }
  /** The broker says so of a process that did not answer any more. */
  | { type: "ended"; reason: string };
