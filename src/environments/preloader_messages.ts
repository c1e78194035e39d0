/**
 * Messages of a preload: types only, by direction.
 *
 * @module
 */
import type { BootFiles } from "../engines/pyodide/worker/boot.ts";
import type { Runtime, StoredIndex } from "../engines/pyodide/stored_files.ts";
import type {
  CompiledLibrary,
  LoadedLibrary,
} from "../engines/pyodide/worker/libraries.ts";
import type { PackageImage } from "../engines/pyodide/worker/packages.ts";
import type { Snapshot } from "../engines/pyodide/worker/snapshot.ts";

/** Launcher to preloader process: its argument. */
export interface PreloadOrder {
  /** Pyodide's own files. */
  runtime: Runtime;
  /** Folder of the environment: still a draft. */
  environment: string;
  /** Modules to import. */
  modules: string[];
}

/** A module, and why something cannot be done with it. */
export interface Problem {
  module: string;
  reason: string;
}

/** What of an environment is imported before a run asks for it. */
export interface Preloaded {
  /** Imported in the snapshot. */
  modules: string[];
  /** In no snapshot: imported by each interpreter while it is prepared. */
  whilePreparing: Problem[];
  /** Not to be imported at all. */
  broken: Problem[];
}

/** Preloader process to installer process: a line of JSON, and the bytes. */
export interface PreloadAnswer {
  preloaded: Preloaded;
  /** A new snapshot, if there is one: all but its bytes. */
  index?: Omit<StoredIndex, "imports">;
}

/** Preloader process to worker, once. */
export interface PreloadStart extends BootFiles {
  port: MessagePort;
  libraries: CompiledLibrary[];
  packages: PackageImage;
  /** Our own Python modules, if no snapshot has them yet. */
  runner?: Record<string, string>;
  modules: string[];
}

/** Worker to preloader process. */
export type FromPreloadWorker =
  /** What it does next: if this is its last word, the cause. */
  | { type: "importing"; module: string }
  /** What cannot be imported. */
  | { type: "failed"; module: string; reason: string }
  /** What can be imported, but not be in a snapshot: nothing follows. */
  | { type: "unfit"; module: string; reason: string }
  | ({ type: "made" } & Made)
  | { type: "broken"; reason: string };

/** A snapshot, and what goes with it. */
export interface Made {
  snapshot: Snapshot;
  libraries: LoadedLibrary[];
  folders: string[];
}
