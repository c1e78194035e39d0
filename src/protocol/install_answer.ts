import type { InstalledPackage } from "../requirements/installed_package.ts";

/** An environment, for a process that may not read it. */
export interface Installed {
  /** Absolute. */
  folder: string;
  /** Version. */
  python: string;
  /** Names of the packages that were asked for. */
  requested: string[];
  packages: InstalledPackage[];
}

/** An environment for the server, which learns no path. */
export interface ServedEnvironment extends Omit<Installed, "folder"> {
  /** Its name in the cache. */
  id: string;
}

/** The ending of an install that a call asked for. */
export type InstallAnswer = { installed: ServedEnvironment } | {
  error: string;
};
