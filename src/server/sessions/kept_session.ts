import type { SessionLife } from "./session_life.ts";

/** A session, as its client sees it. */
export interface SessionInfo {
  /** Its handle. */
  session: string;
  /** Times in ISO 8601. */
  created: string;
  used: string;
  runs: number;
  memoryMiB: number;
  state: "ready" | "running" | "saved" | "lost";
  /** Why it could not be saved when that was tried. */
  unsaved?: string[];
}

/** A client, as its sessions and files know it. */
export interface Owner {
  /** Its sessions and files are for no other name. */
  name: string;
  /**
   * Calls of the same connection that name no session share one, with
   * `--sessions always`; undefined if nothing tells the clients of a name apart.
   */
  connection: string | undefined;
}

/** A session, as the server keeps it. */
export interface KeptSession {
  handle: string;
  owner: Owner["name"];
  /** The connection whose calls without a handle run in it. */
  defaultOf?: string | undefined;
  created: number;
  used: number;
  runs: number;
  /** Calls that run, or wait for their turn. */
  calls: number;
  /** Undefined before a first run, and while the state is in the store alone. */
  life?: SessionLife | undefined;
  /** Whether the store has its state: no code has run since. */
  isSaved?: boolean;
  /** Its client has ended it: it is forgotten soon. */
  isEnded?: boolean;
  unsaved?: string[];
  /** Times that it was not used, and could not be saved. */
  failedRests?: number;
  /** A copy is made: later calls wait. */
  copying?: Promise<unknown> | undefined;
  /** Its interpreter is being saved or ended, or its file copied: calls wait. */
  resting?: Promise<unknown> | undefined;
  idle?: ReturnType<typeof setTimeout>;
}

/** Whether a session has an interpreter that can run. */
export function isAwake<E extends Pick<KeptSession, "life" | "resting">>(
  entry: E,
): entry is E & { life: SessionLife } {
  return entry.life !== undefined && entry.life.lost === undefined &&
    !entry.resting;
}

/** Has the calls of a session wait for some work. */
export function holdCalls<T>(entry: KeptSession, work: Promise<T>): Promise<T> {
  const held = work.finally(() => entry.resting = undefined);
  entry.resting = held.catch(() => {
    // The askers of the work get it.
  });
  return held;
}

export function toInfo(entry: KeptSession): SessionInfo {
  const { handle: session, runs, life, calls, unsaved } = entry;
  const isLost = life?.lost !== undefined;
  const isSaved = !life && entry.isSaved === true;
  return {
    session,
    created: new Date(entry.created).toISOString(),
    used: new Date(entry.used).toISOString(),
    runs,
    memoryMiB: isLost ? 0 : life?.memoryMiB ?? 0,
    state: isLost
      ? "lost"
      : isSaved
      ? "saved"
      : calls > 0
      ? "running"
      : "ready",
    ...(unsaved ? { unsaved } : {}),
  };
}
