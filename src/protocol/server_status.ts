import type { Mount } from "../grants/mounts.ts";
import type { Status } from "./run_result.ts";

/** A server's figures at a moment: the JSON of `/status`. Times are in ISO 8601. */
export interface ServerStatus {
  version: string;
  now: string;
  started: string;
  /** The reason for which calls cannot run yet, or no more; absent if they can. */
  unready?: Unready | undefined;
  /** Version; absent until packages are installed. */
  python?: string | undefined;
  packages: { name: string; version: string }[];
  /** Runs of the caller that wait or run, the oldest first. */
  underWay: RunStatus[];
  /** Of all other callers. */
  othersUnderWay: number;
  /** The caller's last that have ended, the latest first. */
  ended: RunStatus[];
  /** All runs that have ended. */
  runs: Partial<Record<Status, number>>;
  pool: PoolStatus;
  sessions: SessionsStatus;
  /** MCP sessions of 2025 clients. */
  mcpSessions: number;
  /** Memory of the server's own process. */
  serverMiB: number;
  limits: Record<string, number>;
  grants: {
    hosts: readonly string[];
    /** Names of packages that calls may have installed. */
    installs: readonly string[];
    mounts: readonly Omit<Mount, "host">[];
    /** Names of variables. */
    variables: readonly string[];
  };
}

/** Why a server takes no calls. */
export interface Unready {
  state: "installing" | "starting" | "failed" | "ending";
  reason: string;
}

export interface RunStatus {
  id: string;
  client: string;
  /** The key of its session, which opens none, as logs have it. */
  session?: string | undefined;
  /** The name of its session; the caller is its owner. */
  sessionName?: string | undefined;
  started: string;
  codeBytes: number;
  /** Absent while it is under way, as all that follows. */
  status?: Status | undefined;
  wallMs?: number | undefined;
  waitedMs?: number | undefined;
  memoryMiB?: number | undefined;
}

/** Sandbox processes and calls, of all pools together. */
export interface PoolStatus {
  preparing: number;
  ready: number;
  /** Those that run code. */
  busy: number;
  /** Those of sessions, busy or not. */
  kept: number;
  /** Calls that wait for a sandbox, a slot, the run before them, or packages. */
  waiting: number;
  /** Memory of all sandbox processes, as they have said. */
  memoryMiB: number;
}

/** Calls that wait, by the thing that they wait for. */
export type Waits = Record<
  /** A sandbox, if there is a slot; a slot; the run before it; packages. */
  "interpreter" | "turn" | "session" | "packages",
  number
>;

export interface SessionsStatus {
  /** In memory, running or not. */
  awake: number;
  saved: number;
  lost: number;
  /** Memory of those that are awake, beyond ready interpreters, as last measured. */
  memoryMiB: number;
}

/** Characters of a handle, far too few to guess the others. */
const NAME = 8;

/** A session's name for its owner, in all places of the page. */
export function nameOfSession(handle: string): string {
  return handle.slice(0, NAME);
}
