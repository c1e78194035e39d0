/**
 * What each process may do: the table that builds the flags, that `doctor`
 * prints, and that `test/permissions_test.ts` holds against real processes.
 *
 * @module
 */

/** Deno's kinds of permission. */
export const PERMISSION_KINDS = [
  "read",
  "write",
  "net",
  "run",
  "env",
  "sys",
  "ffi",
  "import",
] as const;

/** A kind of permission. */
export type PermissionKind = typeof PERMISSION_KINDS[number];

/** Places and programs that a permission can name. */
export type Scope =
  /** The cache folder. */
  | "cache"
  /** One environment's folder in the cache. */
  | "environment"
  /** Pyodide's own files. */
  | "pyodide"
  /** This program's own source, for starting a worker from it. */
  | "program"
  /** Folders and files that wheels are to be taken from. */
  | "sources"
  /** Hosts that the user granted, if any. */
  | "hosts"
  /** Folders of the user's that Python sees (`--mount`); there may be none. */
  | "mounts"
  /** Those of them that it may write. */
  | "writableMounts"
  /** Everything of its kind. */
  | "any";

/** Scopes that are nowhere if the user has granted nothing. */
export const GRANTED: readonly Scope[] = ["hosts", "mounts", "writableMounts"];

/** The processes of this program. */
export type ProcessName =
  | "installer"
  | "offlineInstaller"
  | "preloader"
  | "broker"
  | "server"
  | "sandbox"
  | "worker";

/** What one process may do; a kind that is not named is refused. */
export type Permissions = Partial<Record<PermissionKind, readonly Scope[]>>;

/** The table. */
export const PERMISSIONS: Record<ProcessName, Permissions> = {
  /** Phase 1: fetches wheels and writes the cache. No package runs in it. */
  installer: {
    read: ["cache", "sources", "pyodide", "program"],
    write: ["cache"],
    net: ["any"],
  },
  /** The same with `--offline`. */
  offlineInstaller: {
    read: ["cache", "sources", "pyodide", "program"],
    write: ["cache"],
  },
  /** Imports packages for the first time: what it makes, the installer writes. */
  preloader: { read: ["environment", "pyodide", "program"] },
  /** Phase 2, what the user started: it starts and ends the others. */
  broker: { run: ["any"] },
  /** MCP. It asks the broker for all else. */
  server: {},
  /** One Python at a time. */
  sandbox: {
    read: ["environment", "pyodide", "program", "mounts"],
    write: ["writableMounts"],
    net: ["hosts"],
  },
  /** The interpreter itself, inside a sandbox process. */
  worker: { read: ["mounts"], write: ["writableMounts"] },
};
