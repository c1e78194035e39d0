// Messages of phase 1 that another process or a worker writes: each schema is
// also the message's type.
import { z } from "../../../deps/zod.ts";
import { hideCredentials } from "../../requirements/hide_credentials.ts";
import type { Layout } from "../../engines/pyodide/linking/link_wasm.ts";
import { UserError } from "../../errors.ts";
import type { StoredIndex } from "../../engines/pyodide/stored_files.ts";
import type { Preloaded } from "../environment.ts";

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
export const Event = z.discriminatedUnion("type", [
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

/** The address of a wheel, with the hash and the size that it must have. */
export const WheelAddress = z.object({
  url: text,
  file,
  sha256: sha256.nullish(),
  size: z.number().nullish(),
  origin: text.nullish(),
});

/** Worker to installer process. */
export const WorkerMessage = z.discriminatedUnion("type", [
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
export const Plan = z.object({
  /** The version of Python, and the engine with its version. */
  python: text,
  engine: text,
  requirements: texts,
  packages: z.array(Chosen.extend({ cached: z.boolean() })),
});

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
export const InstallerMessage = z.discriminatedUnion("type", [
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
export function parseFromInstallWorker(
  data: unknown,
): z.infer<typeof WorkerMessage> {
  const { data: message, error } = WorkerMessage.safeParse(data);
  if (message) return message;
  throw new TypeError(
    `Cannot read a message of the worker that installs: ${
      toOneLine(z.prettifyError(error))
    }`,
  );
}

const Libraries = z.array(z.object({ path: text, handles: z.array(z.int()) }));

export const Made = z.object({
  snapshot: Places.extend({ bytes }),
  libraries: Libraries,
  folders: texts,
});

/** Reads the result of a worker's `snapshot`: the fault if there is none. */
export function parseSnapshot(
  value: unknown,
): z.infer<typeof Made> | { fault: string } {
  return z.union([Made, z.object({ fault: text })]).parse(value);
}

/** Reads the result of a worker's `import`: why it fails, or why no snapshot can hold it. */
export function parseImported(
  value: unknown,
): { reason?: string | undefined; unfit?: string | undefined } {
  return z.object({ reason: text.optional(), unfit: text.optional() })
    .parse(value);
}

/** Reads the result of a worker's `layout`. */
export function parseLayout(value: unknown): Layout {
  return z.record(text, z.int()).parse(value);
}

/** Reads the result of a worker's `plan`; a refusal is thrown as a UserError. */
export function parsePlanned(value: unknown): ChosenPackage[] {
  return orRefused(z.object({ packages: z.array(Chosen) }), value).packages;
}

/** Reads the result of a worker's `probe`; or throws the refusal. */
export function parseProbed(value: unknown): ProbedSource[] {
  return orRefused(z.object({ sources: z.array(Probed) }), value).sources;
}

/** Reads the result of a worker's `unpack`; or throws the refusal. */
export function parseUnpacked(value: unknown): { imports: string[] } {
  return orRefused(z.object({ imports: texts }), value);
}

export function parseCollected(
  value: unknown,
): [path: string, bytes: Uint8Array][] {
  return z.array(z.tuple([text, bytes])).parse(value);
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

export function parseFromInstaller(
  line: string,
): z.infer<typeof InstallerMessage> {
  return InstallerMessage.parse(JSON.parse(line));
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 500);
}

function orRefused<T>(schema: z.ZodType<T>, value: unknown): T {
  const refusal = z.object({ error: text, exitCode: z.int() }).safeParse(value);
  if (refusal.success) {
    // The message quotes requirements: a misspelt URL may have credentials.
    const { error, exitCode } = refusal.data;
    throw new UserError(hideCredentials(error), exitCode);
  }
  return schema.parse(value);
}
