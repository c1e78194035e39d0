// Messages of phase 1, by direction. Those that another process or a worker writes have
// a schema, which is also the message's type: only who reads them loads zod.
import { z } from "../../../deps/zod.ts";
import type {
  Runtime,
  StoredIndex,
} from "../../engines/pyodide/stored_files.ts";
import type { BootFiles } from "../../engines/pyodide/worker/boot.ts";
import type { PackageImage } from "../../engines/pyodide/worker/packages.ts";
import { UserError } from "../../errors.ts";
import type { Credential } from "../../requirements/credentials.ts";
import { hideCredentials } from "../../requirements/hide_credentials.ts";
import type { Preloaded } from "../environment.ts";
import type { WantedEnvironment } from "../wanted_environment.ts";

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

/** Answers to a worker's `fetch` and `wheel`. */
export type Fetched =
  | { status: number; url: string; contentType: string; body: Uint8Array }
  | { error: string };

export type FetchedWheel =
  | { sha256: string; body: Uint8Array }
  | { error: string };

/** Does an install, and shows its events until it ends. */
export type ShowInstall = <T>(
  work: (report: (event: InstallEvent) => void) => Promise<T>,
) => Promise<T>;

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

const text = z.string();
const texts = z.array(text);
const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) =>
  value instanceof Uint8Array
);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A file name; it becomes part of a path. */
const file = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+!-]*\.(whl|zip)$/);

function message<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.object({ type: z.literal(type), ...shape });
}

/** An event of an install that goes on; sizes are in bytes. */
const Event = z.discriminatedUnion("type", [
  /** The step that begins now, a sentence without a full stop. */
  message("step", { text }),
  message("warning", { text }),
  /** A chosen package whose turn it is, of all `count`; it may be in the cache. */
  message("package", { name: text, number: z.int(), count: z.int() }),
  /** Files that will be downloaded, with their sizes as far as an index names them. */
  message("downloads", {
    files: z.array(z.object({ file: text, size: z.number().exactOptional() })),
  }),
  /** How far a download is; told often. */
  message("download", {
    file: text,
    received: z.number(),
    total: z.number().exactOptional(),
  }),
  /** A download is complete and verified; local if it is a copy of this machine's file. */
  message("downloaded", { file: text, size: z.number(), local: z.boolean() }),
]);

export type InstallEvent = z.infer<typeof Event>;

/** The address of a wheel, with the hash and the size that it must have. */
const WheelAddress = z.object({
  url: text,
  file,
  sha256: sha256.nullish(),
  size: z.number().nullish(),
  origin: text.nullish(),
});

export type WheelAddress = z.infer<typeof WheelAddress>;

/** Worker to process. */
const WorkerMessage = z.discriminatedUnion("type", [
  message("fetch", {
    id: z.int(),
    url: text,
    headers: z.record(text, text),
    /** Bytes that the page may have at most. */
    most: z.int().optional(),
  }),
  message("wheel", { id: z.int(), wheel: WheelAddress }),
  message("say", { event: Event }),
  message("result", { value: z.unknown() }),
  message("broken", { reason: text }),
]);

export type FromInstallWorker = z.infer<typeof WorkerMessage>;

const Chosen = z.object({
  /** Name on the index, in its canonical form. */
  name: text,
  version: text,
  file,
  url: text,
  /** Present for every file of a plan that `planEnvironment()` returns. */
  sha256: sha256.optional(),
  size: z.number().optional(),
  /** Id of its source, if the cache notes it. */
  origin: text.optional(),
  /** Its source, in words for people. */
  source: text,
  /** Its kind: `wheel`, or a zip of the Pyodide distribution for `site`, `dynlib` or `stdlib`. */
  place: text,
  /** Whether the order names it; others are there as such packages need them. */
  requested: z.boolean(),
});

/** A package that the resolver has chosen. */
export type ChosenPackage = z.infer<typeof Chosen>;

/** The packages that an install would have. */
const Plan = z.object({
  /** The version of Python, and the engine with its version. */
  python: text,
  engine: text,
  requirements: texts,
  packages: z.array(Chosen.extend({ cached: z.boolean() })),
});

export type Plan = z.infer<typeof Plan>;
export type PlannedPackage = Plan["packages"][number];

const Probed = z.object({
  label: text,
  /** The reason why it cannot be used; null if it answers. */
  trouble: text.nullable(),
});

/** A source of packages, and whether it answers. */
export type ProbedSource = z.infer<typeof Probed>;

const Installed = z.object({
  folder: text,
  python: text,
  requested: texts,
  packages: z.array(
    z.object({
      name: text,
      version: text,
      imports: texts,
      file: text,
      url: text,
      sha256,
    }),
  ),
});

/** Installer process to launcher, a line of JSON each. */
const InstallerMessage = z.discriminatedUnion("type", [
  message("event", { event: Event }),
  /** Asks for a preload, whose output is the next lines of the installer's input. */
  message("preload", {
    wanted: z.object({ environment: text, modules: texts }),
  }),
  /** The answer to the task: an environment, a plan, or sources. */
  message("done", {
    installed: Installed.exactOptional(),
    plan: Plan.exactOptional(),
    sources: z.array(Probed).exactOptional(),
  }),
  message("error", { message: text, exitCode: z.int() }),
]);

export type FromInstaller = z.infer<typeof InstallerMessage>;

const Places = z.object({
  head: z.int(),
  memory: z.int(),
  tableLength: z.int(),
  ranges: z.array(z.tuple([z.int(), z.int()])),
});

const Problems = z.array(
  z.object({ module: text, reason: text.transform(toOneLine) }),
);

/** @throws {TypeError} If the data is not a message of a phase 1 worker. */
export function parseFromInstallWorker(data: unknown): FromInstallWorker {
  const { data: message, error } = WorkerMessage.safeParse(data);
  if (message) return message;
  throw new TypeError(
    `Cannot read a message of the worker that installs: ${
      toOneLine(z.prettifyError(error))
    }`,
  );
}

const Libraries = z.array(z.object({ path: text, handles: z.array(z.int()) }));

/** A snapshot, with the libraries and folders that it needs. */
const Made = z.object({
  snapshot: Places.extend({ bytes }),
  libraries: Libraries,
  folders: texts,
});

export type Made = z.infer<typeof Made>;

/** The results of a worker's calls. */
const RESULTS = {
  /** Why a module cannot be imported, or why no snapshot can hold it. */
  import: z.object({ reason: text.optional(), unfit: text.optional() }),
  snapshot: z.union([Made, z.object({ fault: text })]),
  version: text,
  layout: z.record(text, z.int()),
  plan: z.object({ packages: z.array(Chosen) }),
  probe: z.object({ sources: z.array(Probed) }),
  unpack: z.object({ imports: texts }),
  /** Paths, and what is in the files. */
  collect: z.array(z.tuple([text, bytes])),
} satisfies Record<InstallCall["call"], z.ZodType>;

export type ResultOf<Call extends InstallCall["call"]> = z.infer<
  typeof RESULTS[Call]
>;

/** Reads the result of a worker's call; a refusal is thrown as a UserError. */
export function parseResult<Call extends InstallCall["call"]>(
  call: Call,
  value: unknown,
): ResultOf<Call> {
  const refusal = z.object({ error: text, exitCode: z.int() }).safeParse(value);
  if (refusal.success) {
    // The message quotes requirements: a misspelt URL may have credentials.
    const { error, exitCode } = refusal.data;
    throw new UserError(hideCredentials(error), exitCode);
  }
  return RESULTS[call].parse(value) as ResultOf<Call>;
}

/** Preloader process to installer process: a packet, with the snapshot behind it. */
export interface PreloadAnswer {
  preloaded: Preloaded;
  /** A new snapshot without its bytes; undefined if none was made. */
  index?: Omit<StoredIndex, "imports">;
  /** The reason why linked files do not work for these packages. */
  unlinked?: string;
}

export function parsePreloadAnswer(value: unknown): PreloadAnswer {
  return z.object({
    preloaded: z.object({
      modules: texts,
      whilePreparing: Problems,
      broken: Problems,
    }),
    index: Places.extend({ libraries: Libraries, folders: texts })
      .exactOptional(),
    unlinked: text.transform(toOneLine).exactOptional(),
  }).parse(value);
}

export function parseFromInstaller(line: string): FromInstaller {
  return InstallerMessage.parse(JSON.parse(line));
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 500);
}
