import { z } from "../../deps/zod.ts";
import { hideCredentials } from "../requirements/hide_credentials.ts";
import type { InstalledPackage } from "../requirements/installed_package.ts";
import type { FromInstaller, FromInstallWorker } from "./installer_messages.ts";
import type { PlannedPackage } from "./install_plan.ts";
import type { PreloadAnswer } from "./preloader_messages.ts";
import type { Snapshot } from "../engines/pyodide/worker/snapshot.ts";
import { UserError } from "../errors.ts";

const bytes = z.custom<Uint8Array<ArrayBuffer>>((value) =>
  value instanceof Uint8Array
);

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** A file name; it becomes part of a path. */
const file = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.+!-]*\.(whl|zip)$/);

const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("step"), text: z.string() }),
  z.object({ type: z.literal("warning"), text: z.string() }),
  z.object({
    type: z.literal("downloads"),
    files: z.array(
      z.object({ file: z.string(), size: z.number().exactOptional() }),
    ),
  }),
  z.object({
    type: z.literal("download"),
    file: z.string(),
    received: z.number(),
    total: z.number().exactOptional(),
  }),
  z.object({
    type: z.literal("downloaded"),
    file: z.string(),
    size: z.number(),
  }),
]);

const WorkerMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("fetch"),
    id: z.int(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({
    type: z.literal("wheel"),
    id: z.int(),
    wheel: z.object({
      url: z.string(),
      file,
      sha256: sha256.nullish().exactOptional(),
      size: z.number().nullish().exactOptional(),
      origin: z.string().nullish().exactOptional(),
    }),
  }),
  z.object({ type: z.literal("say"), event: Event }),
  z.object({ type: z.literal("result"), value: z.unknown() }),
  z.object({ type: z.literal("broken"), reason: z.string() }),
]);

const Refusal = z.object({ error: z.string(), exitCode: z.int() });

const Planned = z.object({
  packages: z.array(z.object({
    name: z.string(),
    version: z.string(),
    file,
    url: z.string(),
    sha256: sha256.exactOptional(),
    size: z.number().exactOptional(),
    origin: z.string().exactOptional(),
    source: z.string(),
    place: z.string(),
  })),
});

const InstallerMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("event"), event: Event }),
  z.object({ type: z.literal("source"), text: z.string() }),
  z.object({
    type: z.literal("plan"),
    plan: z.object({
      python: z.string(),
      pyodide: z.string(),
      requirements: z.array(z.string()),
      packages: z.array(
        Planned.shape.packages.element.extend({ cached: z.boolean() }),
      ),
    }),
  }),
  z.object({
    type: z.literal("preload"),
    wanted: z.object({ environment: z.string(), modules: z.array(z.string()) }),
  }),
  z.object({
    type: z.literal("done"),
    installed: z.object({
      folder: z.string(),
      packages: z.array(z.object({
        name: z.string(),
        version: z.string(),
        imports: z.array(z.string()),
        file: z.string(),
        url: z.string(),
        sha256,
      })),
    }).exactOptional(),
  }),
  z.object({
    type: z.literal("error"),
    message: z.string(),
    exitCode: z.int(),
  }),
]);

/**
 * Reads a message of a phase 1 worker.
 *
 * @throws {TypeError} If the data is not such a message.
 */
export function parseFromInstallWorker(data: unknown): FromInstallWorker {
  const { data: message, error } = WorkerMessage.safeParse(data);
  if (message) return message;
  throw new TypeError(
    `Cannot read a message of the worker that installs: ${
      toOneLine(z.prettifyError(error))
    }`,
  );
}

const Places = z.object({
  head: z.int(),
  memory: z.int(),
  tableLength: z.int(),
  ranges: z.array(z.tuple([z.int(), z.int()])),
});

/** Reads the result of a worker's `snapshot`, which may be without a snapshot. */
export function parseSnapshot(
  value: unknown,
): { snapshot?: Snapshot; version: string } {
  const snapshot = Places.extend({ bytes }).exactOptional();
  return z.object({ snapshot, version: z.string() }).parse(value);
}

/**
 * Reads the result of a worker's `plan`.
 *
 * @throws {UserError} If the worker refused.
 */
export function parsePlanned(
  value: unknown,
): Omit<PlannedPackage, "cached">[] {
  return orRefused(Planned, value).packages;
}

/**
 * Reads the result of a worker's `probe`: a sentence about each source.
 *
 * @throws {UserError} If the worker refused.
 */
export function parseProbed(value: unknown): string[] {
  return orRefused(z.object({ sources: z.array(z.string()) }), value).sources;
}

/**
 * Reads the result of a worker's `unpack`.
 *
 * @throws {UserError} If the worker refused.
 */
export function parseUnpacked(
  value: unknown,
): Pick<InstalledPackage, "imports"> {
  return orRefused(z.object({ imports: z.array(z.string()) }), value);
}

/** Reads the result of a worker's `collect`. */
export function parseCollected(
  value: unknown,
): [path: string, bytes: Uint8Array][] {
  return z.array(z.tuple([z.string(), bytes])).parse(value);
}

const Problems = z.array(
  z.object({ module: z.string(), reason: z.string().transform(toOneLine) }),
);

/** Reads the first line of a preloader. */
export function parsePreloadAnswer(line: string): PreloadAnswer {
  return z.object({
    preloaded: z.object({
      modules: z.array(z.string()),
      whilePreparing: Problems,
      broken: Problems,
    }),
    index: Places.extend({
      libraries: z.array(
        z.object({ path: z.string(), handles: z.array(z.int()) }),
      ),
      folders: z.array(z.string()),
    }).exactOptional(),
  }).parse(JSON.parse(line));
}

function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 500);
}

/** Reads a line of the installer process. */
export function parseFromInstaller(line: string): FromInstaller {
  return InstallerMessage.parse(JSON.parse(line));
}

function orRefused<T>(schema: z.ZodType<T>, value: unknown): T {
  const refusal = Refusal.safeParse(value);
  if (refusal.success) {
    // The message quotes requirements: a misspelt URL may have credentials.
    const { error, exitCode } = refusal.data;
    throw new UserError(hideCredentials(error), exitCode);
  }
  return schema.parse(value);
}
