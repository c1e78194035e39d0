// Types only, by direction.
import type { BootFiles } from "../engines/pyodide/worker/boot.ts";
import type { Runtime, StoredIndex } from "../engines/pyodide/stored_files.ts";
import type {
  CompiledLibrary,
  LoadedLibrary,
} from "../engines/pyodide/worker/libraries.ts";
import type { PackageImage } from "../engines/pyodide/worker/packages.ts";
import type { Snapshot } from "../engines/pyodide/worker/snapshot.ts";

/** Launcher to preloader process: its argument. */
export interface PreloadOrder<Files = Runtime> {
  runtime: Files;
  /** Folder of the environment: still a draft. */
  environment: string;
  modules: string[];
}

/** A module, and the reason why it cannot be imported or be in a snapshot. */
export interface Problem {
  module: string;
  reason: string;
}

/** The modules of an environment that are imported before a run asks for them. */
export interface Preloaded {
  /** Imported in the snapshot. */
  modules: string[];
  /** Not in the snapshot: each interpreter imports them while it is prepared. */
  whilePreparing: Problem[];
  broken: Problem[];
}

/** Preloader process to installer process: a line of JSON, and the bytes. */
export interface PreloadAnswer {
  preloaded: Preloaded;
  /** A new snapshot without its bytes; undefined if none was made. */
  index?: Omit<StoredIndex, "imports">;
  /** The reason why linked files do not work for these packages. */
  unlinked?: string;
}

/** Preloader process to worker, once. */
export interface PreloadStart extends BootFiles {
  port: MessagePort;
  libraries: CompiledLibrary[];
  packages: PackageImage;
  /** The runner's Python modules, if the snapshot does not have them yet. */
  runner?: Record<string, string>;
  modules: string[];
}

/** Worker to preloader process. */
export type FromPreloadWorker =
  /** The next module: if this is the last message, the module ended the worker. */
  | { type: "importing"; module: string }
  | ({ type: "failed" } & Problem)
  /** A module that can be imported, but not be in a snapshot: the last message. */
  | ({ type: "unfit" } & Problem)
  | ({ type: "made" } & Made)
  | { type: "broken"; reason: string };

/** A snapshot, with the libraries and folders that it needs. */
export interface Made {
  snapshot: Snapshot;
  libraries: LoadedLibrary[];
  folders: string[];
}
