import { MIB } from "./units.ts";
import type { Mount } from "./grants/mounts.ts";

/** How results are written into the text block of a tool's answer. */
export type ReturnMode = "xml" | "json";

/** A wall around sandbox processes beside Deno's permissions. */
export type Isolation = "none" | "auto" | "bwrap";

/** Which packages Python has, and where they come from. */
export interface PackageSettings {
  /**
   * Requirements (PEP 508). A wheel of this machine is a `file:` URL; behind
   * one may stand ` --hash=sha256:…`, as in a requirements file.
   */
  dependencies: string[];
  /** Bounds for versions of packages that are wanted anyway (PEP 508). */
  constraints: string[];
  /** Install exactly what this lock file (PEP 751) says. */
  locked?: { path: string; text: string };
  /** Folders of wheels; absolute. */
  findLinks: string[];
  /** Pyodide distribution to take packages from: a URL or an absolute folder. */
  dist?: string;
  /** Package index to ask instead of the resolver's own default. */
  indexUrl?: string;
  /** Package indexes to ask before that one. */
  extraIndexUrls: string[];
  /** Folder of another Pyodide to use whole; absolute. */
  pyodide?: string;
}

/**
 * What a run may take; each has an option of the group "Limits", and a line in
 * docs/limits.md that says what happens at its end.
 */
export interface Limits {
  /** Wall time of a run that names none, in seconds. */
  timeoutSeconds: number;
  /** Longest wall time a call may ask for, in seconds. */
  maxTimeoutSeconds: number;
  /** CPU time of a run, in seconds; no limit of its own if absent. */
  cpuSeconds?: number;
  /** Memory Python may take, in MiB. */
  memoryMiB: number;
  /** What the files that a run makes may hold, in MiB. */
  maxFilesMiB: number;
  /** Files, folders and links that a run may make. */
  maxFiles: number;
  /** What the files that runs wrote may hold while they can be read, in MiB. */
  maxStoredFilesMiB: number;
  /** Characters of output, and of a return value, that a result keeps. */
  maxOutput: number;
  /** Bytes of code a call may send. */
  maxCode: number;
  /** Calls that a run may make on its host. */
  maxHostCalls: number;
  /** Characters of JSON that such a call, or its answer, may have. */
  maxHostCallSize: number;
  /** Time for such an answer, in seconds. */
  hostCallTimeoutSeconds: number;
  /** Pictures that a run may show. */
  maxImages: number;
  /** What one of them may have, in MiB. */
  maxImageMiB: number;
}

/** All that a user can choose, after flags, variables and defaults are merged. */
export interface Settings extends PackageSettings, Limits {
  /** Names of packages that a call may have installed; `*` is any. */
  allowInstall: string[];
  /** Hosts that code may reach; see `maybeHost()`. */
  allowNet: string[];
  /** Variables in the environment of each run. */
  variables: Record<string, string>;
  /** Folders of this machine that Python sees. */
  mounts: readonly Mount[];
  /** Whether files can be written and read by tools. */
  fileTools: boolean;
  /** Second wall around sandbox processes; `auto` takes one that works. */
  isolation: Isolation;
  /** Form of the text block. */
  returnMode: ReturnMode;
  /** Whether results also carry `structuredContent`. */
  structured: boolean;
  /** Sandboxes kept ready while calls come; by cores and memory if absent. */
  pool?: number;
  /** Runs at a time; by cores and memory if absent. */
  maxConcurrency?: number;
  /** Calls that may wait for one of these. */
  maxQueue: number;
  /** Longest time for Python to get ready, in seconds. */
  startTimeoutSeconds: number;
  /** Folder for wheels, lock files and snapshots; absolute. */
  cacheDir: string;
  /** Touch no network; use what the cache holds. */
  offline: boolean;
  /** Log more. */
  verbose: boolean;
}

/** What holds when neither a flag nor a variable says otherwise. */
export const DEFAULTS = {
  isolation: "none",
  returnMode: "xml",
  structured: true,
  timeoutSeconds: 60,
  maxTimeoutSeconds: 600,
  maxQueue: 100,
  startTimeoutSeconds: 60,
  memoryMiB: 1024,
  maxFilesMiB: 256,
  maxFiles: 10_000,
  maxStoredFilesMiB: 256,
  mounts: [],
  fileTools: false,
  maxOutput: 100_000,
  maxCode: MIB,
  maxHostCalls: 1000,
  maxHostCallSize: MIB,
  hostCallTimeoutSeconds: 30,
  maxImages: 10,
  maxImageMiB: 2,
  offline: false,
  verbose: false,
} as const satisfies Partial<Settings>;
