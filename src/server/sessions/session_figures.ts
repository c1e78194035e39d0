import type { Status } from "../../protocol/run_result.ts";
import { Histogram } from "../histogram.ts";
import type { EndCause, UnsavedCause } from "../pool/pool.ts";

/** Counts of all that befalls sessions, by causes that are fixed and few. */
export class SessionFigures {
  /** Sessions whose state is gone, though their clients have not ended them. */
  readonly losses: Record<Loss, number> = zeros(LOSSES);
  /** Interpreters that were given up while they had their state. */
  readonly evictions: Record<Eviction, number> = zeros(EVICTIONS);
  /** Saves that have failed. */
  readonly unsaved: Record<NotSaved, number> = zeros(NOT_SAVED);
  /** Seconds of saves. */
  readonly saveSeconds: Histogram = new Histogram();
  /** Seconds of restores. */
  readonly restoreSeconds: Histogram = new Histogram();

  lost(cause: Loss): void {
    this.losses[cause]++;
  }

  evicted(cause: Eviction): void {
    this.evictions[cause]++;
  }

  notSaved(cause: NotSaved): void {
    this.unsaved[cause]++;
  }

  saved(seconds: number): void {
    this.saveSeconds.add(seconds);
  }

  restored(seconds: number): void {
    this.restoreSeconds.add(seconds);
  }
}

const LOSSES = [
  /** The server has killed its process: a run did not stop. */
  "killed",
  /** Its process has ended. */
  "crashed",
  "memory",
  "time",
  /** Its save cannot be read or restored. */
  "unreadable",
  /** It was evicted, and its save failed. */
  "not-saved",
  /** It was evicted, and there is no store. */
  "no-store",
  /** Another server went on with it, as this one gave no sign of life. */
  "moved",
  "other",
] as const;
export type Loss = typeof LOSSES[number];

const EVICTIONS = [
  /** It was not used for `--session-idle`. */
  "idle",
  /** Another session needed its place. */
  "room",
  /** All sessions took too much memory. */
  "memory",
  /** Its client has ended it. */
  "client",
  /** Another server has a call for it. */
  "moved",
  /** The server ends. */
  "shutdown",
] as const;
export type Eviction = typeof EVICTIONS[number];

const NOT_SAVED = [
  ...["busy", "late", "ended", "store", "state"] as const,
  /** It has an environment of its own. */
  "environment",
  /** Another server has it. */
  "moved",
] as const satisfies readonly (UnsavedCause | "environment" | "moved")[];
export type NotSaved = typeof NOT_SAVED[number];

/** The cause of a loss by a run that has ended with the interpreter. */
export function lossByRun(status: Status): Loss {
  switch (status) {
    case "timeout":
      return "time";
    case "memory-limit":
      return "memory";
    case "cancelled":
      return "killed";
    case "crashed":
    case "session-lost":
      return "crashed";
    default:
      return "other";
  }
}

/** The cause of a loss between two runs. */
export function lossByEnd(cause: EndCause = "exited"): Loss {
  switch (cause) {
    case "exited":
      return "crashed";
    case "killed":
      return "killed";
    default:
      return "other";
  }
}

function zeros<K extends string>(names: readonly K[]): Record<K, number> {
  const entries = names.map((name) => [name, 0] as const);
  return Object.fromEntries(entries) as Record<K, number>;
}
