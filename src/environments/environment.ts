import { ignoreAbsent, sha256, startSha256 } from "../disk.ts";
import { MIB } from "../units.ts";
import { dirname, join } from "node:path";
import { ENGINES } from "../engines/index.ts";
import type { InstalledPackage } from "../requirements/installed_package.ts";
import { DRAFT, sweepDrafts } from "./drafts.ts";
import { USED } from "./file_locks.ts";

/** The description of an environment, which also locks its contents. */
export interface Manifest {
  /** Names of the packages that were asked for; others are there as these need them. */
  requested: string[];
  /** The engine with its version. */
  engine: string;
  python: string;
  packages: InstalledPackage[];
  /** Their modules that are imported before a run asks for them. */
  preloaded: Preloaded;
  /** Size in bytes and hash of each file, by path below the folder. */
  files: Record<string, { size: number; sha256: string }>;
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

export interface Environment extends Manifest {
  folder: string;
}

const MANIFEST = "environment.json";
/** Written last: has the manifest's hash, so that an edit is noticed. */
const SEAL = "complete";

/**
 * Increases whenever this program would read the files of earlier environments
 * wrongly, or must not go on with them: then all are installed anew, and no
 * session that was stored before can be restored. The ids hold it in the place
 * of the program's version. What an interpreter's memory is made of counts by
 * itself: `identity` of an engine's runtime.
 */
export const ENVIRONMENT_FORMAT = 1;

export const ENTRIES: readonly string[] = [
  ...[MANIFEST, SEAL, USED],
  ...ENGINES.flatMap(({ environmentFiles = [] }) => environmentFiles),
];

export const ID = /^[0-9a-f]{24}$/;

export function environmentFolder(cacheDir: string, id: string): string {
  return join(cacheDir, "environments", id);
}

/** Opens an environment; undefined if it is absent, cut short or edited. */
export function maybeOpenEnvironment(folder: string): Environment | undefined {
  try {
    // No install makes a link; a link in a cache that came with a project leads anywhere.
    if ([...Deno.readDirSync(folder)].some(({ isFile }) => !isFile)) return;
    const text = Deno.readTextFileSync(join(folder, MANIFEST));
    if (Deno.readTextFileSync(join(folder, SEAL)) !== sha256(text)) return;
    const manifest: Manifest = JSON.parse(text);
    for (const [path, { size }] of Object.entries(manifest.files)) {
      if (Deno.statSync(join(folder, path)).size !== size) return;
    }
    return { folder, ...manifest };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotADirectory)) ignoreAbsent(error);
  }
}

/** Names the files that changed since the install; slow, as it reads every file. */
export async function damagedFiles(
  { folder, files }: Environment,
): Promise<string[]> {
  const damaged: string[] = [];
  for (const [path, file] of Object.entries(files)) {
    const found = await sha256OfFile(join(folder, path));
    if (found !== file.sha256) damaged.push(path);
  }
  return damaged;
}

/** Opens an environment, and compares its every byte; a damaged one counts as absent from then on. */
export async function maybeOpenWhole(
  folder: string,
): Promise<Environment | undefined> {
  const environment = maybeOpenEnvironment(folder);
  if (!environment) return;
  if ((await damagedFiles(environment)).length === 0) return environment;
  // Fails in a cache that is only read.
  await unsealEnvironment(folder).catch(() => {});
}

/** Makes an environment count as absent: the next start installs it anew. */
export async function unsealEnvironment(folder: string): Promise<void> {
  await Deno.remove(join(folder, SEAL)).catch(ignoreAbsent);
}

/** An environment that is being written, beside its place. */
export class Draft implements AsyncDisposable {
  readonly folder: string;
  #place: string;
  #files: Manifest["files"] = {};

  /** @param place The folder once it is published. */
  constructor(place: string) {
    this.#place = place;
    this.folder = `${place}.${crypto.randomUUID()}.tmp`;
  }

  /** Writes files, and replaces files of the same names. */
  async write(files: Record<string, Uint8Array>): Promise<void> {
    await Deno.mkdir(this.folder, { recursive: true });
    for (const [path, bytes] of Object.entries(files)) {
      await Deno.writeFile(join(this.folder, path), bytes);
      this.#files[path] = { size: bytes.length, sha256: sha256(bytes) };
    }
  }

  async remove(...paths: string[]): Promise<void> {
    for (const path of paths) {
      await Deno.remove(join(this.folder, path)).catch(ignoreAbsent);
      delete this.#files[path];
    }
  }

  async publish(manifest: Omit<Manifest, "files">): Promise<Environment> {
    await sweepDrafts(dirname(this.folder), DRAFT);
    const whole = { ...manifest, files: this.#files };
    const text = JSON.stringify(whole, null, 2);
    await Deno.writeTextFile(join(this.folder, MANIFEST), text);
    await Deno.writeTextFile(join(this.folder, USED), "");
    await Deno.writeTextFile(join(this.folder, SEAL), sha256(text));
    await replace(this.folder, this.#place);
    return { folder: this.#place, ...whole };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.folder, { recursive: true }).catch(() => {});
  }
}

/** Moves a draft into place, unless another process has published first. */
async function replace(draft: string, folder: string, tries = 3) {
  try {
    await Deno.rename(draft, folder);
  } catch (error) {
    if (maybeOpenEnvironment(folder)) {
      return await Deno.remove(draft, { recursive: true });
    }
    if (tries === 0) throw error;
    // A damaged environment makes room. Its users hold this file, which moves
    // along, and go on with the new environment.
    await Deno.rename(join(folder, USED), join(draft, USED)).catch(
      ignoreAbsent,
    );
    const old = `${folder}.${crypto.randomUUID()}.old`;
    await Deno.rename(folder, old).catch(ignoreAbsent);
    await Deno.remove(old, { recursive: true }).catch(ignoreAbsent);
    await replace(draft, folder, tries - 1);
  }
}

/** An id of 24 digits: a hash of all that makes a difference. */
export function toId(identity: unknown): string {
  return sha256(JSON.stringify(identity)).slice(0, 24);
}

/** In pieces, as fresh memory for a whole file takes longer than the reading. */
async function sha256OfFile(path: string): Promise<string> {
  using file = await Deno.open(path);
  const hash = startSha256();
  const piece = new Uint8Array(MIB);
  for (let read; (read = await file.read(piece)) !== null;) {
    hash.update(piece.subarray(0, read));
  }
  return hash.digest("hex");
}
