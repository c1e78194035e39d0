import type { Mount } from "../grants/mounts.ts";
import type { SettingsFor } from "../settings.ts";
import type { ServedEnvironment } from "./install_answer.ts";
import type { Shell } from "./run_setup.ts";

/** Pools that a server has beside its own, of packages that calls asked for. */
export const MOST_POOLS = 2;

export interface PoolSizes {
  /** Sandboxes kept ready while calls come; without calls it is one. */
  ready: number;
  /** Runs at a time. */
  running: number;
  /** Calls that may wait; more are refused at once. */
  waiting: number;
}

/** All that the launcher tells the server at its start. */
export interface ServerSettings extends SettingsFor<"server"> {
  /** Folders of the user's that Python sees, without their host paths. */
  mounts: readonly Omit<Mount, "host">[];
  version: string;
  /** Python's version and packages; undefined until they are installed. */
  environment: ServedEnvironment | undefined;
  /** Names of the packages that options name, for the time of their install. */
  expected: string[];
  pool: PoolSizes;
  /** Memory that all sessions may take together. */
  maxSessionsMiB: number;
  /** Whether there is a store of sessions; the server does not learn its folder. */
  savesSessions?: boolean;
  /** The shell that its one run is for: the run's output has no bound. */
  shell?: Shell;
}
