import type { Mount } from "../grants/mounts.ts";
import type { Settings } from "../settings.ts";
import type { InstalledPackage } from "../requirements/installed_package.ts";

/** Pools that a server has beside its own, of packages that calls asked for. */
export const MOST_POOLS = 2;

/** How much a pool may hold. */
export interface PoolSizes {
  /** Sandboxes kept ready while calls come; without calls it is one. */
  ready: number;
  /** Runs at a time. */
  running: number;
  /** Calls that may wait; more are refused at once. */
  waiting: number;
}

/** What the server is told at its start, by the launcher. */
export interface ServerSettings extends
  Pick<
    Settings,
    | "returnMode"
    | "structured"
    | "timeoutSeconds"
    | "maxTimeoutSeconds"
    | "startTimeoutSeconds"
    | "maxOutput"
    | "maxCode"
    | "allowInstall"
    | "allowNet"
    | "variables"
    | "maxHostCalls"
    | "maxHostCallSize"
    | "hostCallTimeoutSeconds"
    | "maxImages"
    | "maxImageMiB"
    | "maxFilesMiB"
    | "maxFiles"
    | "maxStoredFilesMiB"
    | "fileTools"
  > {
  /** Folders of the user's that Python sees; where they are is for nobody here. */
  mounts: readonly Omit<Mount, "host">[];
  /** Version of this program. */
  version: string;
  /** What Python has to offer. */
  environment: { python: string; packages: InstalledPackage[] };
  pool: PoolSizes;
}
