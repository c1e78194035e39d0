/**
 * Messages of phase 1: types only, by direction.
 *
 * @module
 */
import type { BootFiles } from "../sandbox/engines/pyodide/boot.ts";
import type { Runtime } from "../sandbox/engines/pyodide/files.ts";

/** Launcher to installer process, as its argument. */
export interface InstallOrder {
  /** To install, or only to ask each source whether it answers. */
  task: "install" | "probe";
  cacheDir: string;
  /** Folder to publish the environment as. */
  folder: string;
  /** Folder of the environment without packages, whose snapshot is the base. */
  baseFolder: string;
  requirements: string[];
  indexUrl?: string;
  /** Pyodide's own files. */
  pyodide: Runtime;
  pyodideVersion: string;
}

/** Installer process to launcher, a line of JSON each. */
export type FromInstaller =
  | { type: "progress"; text: string }
  | { type: "done" }
  | { type: "source"; text: string }
  | { type: "error"; message: string; exitCode: number };

/** Installer process to worker, once. */
export interface InstallJob extends BootFiles {
  port: MessagePort;
  job: SnapshotJob | ResolverJob;
}

/** Makes the snapshot that every environment starts from. */
export interface SnapshotJob {
  type: "snapshot";
  runner: Record<string, string>;
}

/** Resolves and unpacks, or only asks each source whether it answers. */
export interface ResolverJob {
  type: "install" | "probe";
  requirements: string[];
  /** Package index, if not the resolver's default. */
  indexUrl?: string;
  micropip: Uint8Array;
  /** Our own Python modules, by file name. */
  modules: Record<string, string>;
}

/** An answer to a worker's fetch. */
export type Fetched =
  | { status: number; contentType: string; body: Uint8Array }
  | { error: string };

/** Worker to installer process. */
export type FromInstallWorker =
  | { type: "probed"; sources: string[] }
  | { type: "fetch"; id: number; url: string; headers: Record<string, string> }
  | { type: "snapshot"; bytes: Uint8Array; version: string }
  | {
    type: "installed";
    report: string;
    wheels: [name: string, bytes: Uint8Array][];
    files: [path: string, bytes: Uint8Array][];
  }
  | { type: "broken"; reason: string };
