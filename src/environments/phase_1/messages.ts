// Types only, by direction.
import type { z } from "../../../deps/zod.ts";
import type { BootFiles } from "../../engines/pyodide/worker/boot.ts";
import type { Credential } from "../../requirements/credentials.ts";
import type { WantedEnvironment } from "../wanted_environment.ts";
import type { Runtime } from "../../engines/pyodide/stored_files.ts";
import type { Event, Plan as PlanMessage } from "./parse_messages.ts";
import type { PackageImage } from "../../engines/pyodide/worker/packages.ts";
import type * as schemas from "./parse_messages.ts";

/** Launcher to installer process: its first line of input. */
export interface InstallOrder<Files = Runtime> extends WantedEnvironment {
  /** Installs, plans an install, or asks each source whether it answers. */
  task: "install" | "plan" | "probe";
  requirements: string[];
  constraints: string[];
  locked?: { path: string; text: string };
  findLinks: string[];
  dist?: string;
  /** Addresses without credentials, in the order in which they are asked; null is the default index. */
  indexes: (string | null)[];
  credentials: Credential[];
  /** Each sha256 that the user names, in a requirement or a lock file. */
  hashes: string[];
  offline: boolean;
  runtime: Files;
  /** The engine with its version. */
  engine: string;
}

/** Installer process to launcher, a line of JSON each. */
export type FromInstaller = z.infer<typeof schemas.InstallerMessage>;

export type PreloadWanted = Omit<PreloadOrder, "runtime">;

/** Process to worker, once; then it calls. */
export interface WorkerSetup extends BootFiles {
  port: MessagePort;
  /** Name of the package of the worker's own modules. */
  package: string;
  /** Undefined if the snapshot has imported the worker's own modules. */
  own?: OwnModules;
  /** Packages that are imported for the first time. */
  packages?: PackageImage;
}

/** Python modules of this program: texts by file name, and the wheels that they import. */
export interface OwnModules {
  wheels: Uint8Array[];
  modules: Record<string, string>;
  /** The modules that are imported at once. */
  imports: string[];
  /** Whether Python's own modules that runs often use are imported, too. */
  hasStdlib?: boolean;
}

/** Process to worker: one call at a time. */
export type InstallCall =
  /** Imports a module of a package. */
  | { call: "import"; module: string }
  /** Makes a snapshot, which holds all that was imported. */
  | { call: "snapshot" }
  | { call: "version" }
  /** Tells the places of Python's symbols. */
  | { call: "layout" }
  | { call: "plan" | "probe"; order: ResolverOrder }
  | { call: "unpack"; file: string; place: string; bytes: Uint8Array }
  | { call: "collect" };

/** An order as the resolver reads it. */
export interface ResolverOrder {
  requirements: string[];
  constraints: string[];
  locked: { path: string; text: string } | null;
  folders: { label: string; files: LocalFile[] }[];
  /** Hashes of all files in the cache. */
  stored: string[];
  /** Wheels in the cache that the project names by their hash. */
  pinned: LocalFile[];
  /** The Pyodide distribution; if its lock file is null, the resolver fetches it. */
  dist: WebSource & { lock: string | null };
  indexes: WebSource[];
  offline: boolean;
}

/** A source on the web, by its address; null is the default index. */
export interface WebSource {
  url: string | null;
  /** Id of the source, which is noted for its wheels. */
  origin: string;
  /** Its wheels in the cache, which stand for it offline. */
  cached: LocalFile[];
}

/** A file on this machine, as an index would list it. */
export interface LocalFile {
  filename: string;
  url: string;
  hashes?: { sha256: string };
}

/** Worker to process. */
export type FromInstallWorker = z.infer<typeof schemas.WorkerMessage>;

export type WheelAddress = z.infer<typeof schemas.WheelAddress>;

/** Answers to a worker's `fetch` and `wheel`. */
export type Fetched =
  | { status: number; url: string; contentType: string; body: Uint8Array }
  | { error: string };

export type FetchedWheel =
  | { sha256: string; body: Uint8Array }
  | { error: string };

export type Plan = z.infer<typeof PlanMessage>;
export type PlannedPackage = Plan["packages"][number];

export type InstallEvent = z.infer<typeof Event>;

/** Does an install, and shows its events until it ends. */
export type ShowInstall = <T>(
  work: (report: (event: InstallEvent) => void) => Promise<T>,
) => Promise<T>;

// Types only, by direction.

/** Launcher to preloader process: its argument. */
export interface PreloadOrder<Files = Runtime> {
  runtime: Files;
  /** Folder of the environment: still a draft. */
  environment: string;
  modules: string[];
}

/** Launcher to installer: with a piece of a preloader's output as its body, or its end. */
export interface PreloaderSaid {
  /** How the preloader ended: `code 0`. */
  ended?: string;
}

/** A snapshot, with the libraries and folders that it needs. */
export type Made = z.infer<typeof schemas.Made>;
