import type { InstalledPackage } from "../requirements/installed_package.ts";

/** The number of the server's own environment; installs for calls have others. */
export const OWN_ENVIRONMENT = 0;

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

/** The ending of an install that a call asked for. */
export type InstallAnswer = { installed: Installed } | { error: string };
