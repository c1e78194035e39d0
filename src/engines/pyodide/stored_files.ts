import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Identity, toIdentity } from "./checkpoint_format.ts";
import type { GlueUrls } from "./worker/glue.ts";
import type { CompiledLibrary, LoadedLibrary } from "./worker/libraries.ts";
import type { Links } from "./worker/links.ts";
import type { PackageImage } from "./worker/packages.ts";
import type {
  OpenSnapshot,
  Snapshot,
  SnapshotIndex,
} from "./worker/snapshot.ts";
import { ENVIRONMENT_FILES, RUNTIME_FILES } from "./versions.ts";
import { sha256Aside } from "../../disk.ts";
import { passTurn, type StoredBytes, TURN } from "./worker/stored_bytes.ts";

/** Where a Pyodide's own files are. */
export interface Runtime {
  folder: string;
  /**
   * Name of its Emscripten module, to be used with its own loader; absent for
   * the npm package, whose JavaScript is imported.
   */
  emscripten?: string;
}

/** Pyodide's files, its own or linked, ready for a worker. */
export interface RuntimeFiles {
  wasm: WebAssembly.Module;
  stdlib: Uint8Array;
  glue?: GlueUrls;
  /** Linked files restore a snapshot only; absent for Pyodide's own. */
  links?: Links;
}

/** Reads an environment's linked files, or Pyodide's own if it has none that are known. */
export async function readRuntimeFor(
  environment: string,
  runtime: Runtime,
): Promise<RuntimeFiles> {
  const stored = await readLinks(environment);
  if ("reason" in stored) return await readRuntime(runtime);
  const { linkedWasm, linkedGlue } = ENVIRONMENT_FILES;
  const file = join(environment, linkedGlue);
  if (!await isKnownGlue(await Deno.readFile(file))) {
    return await readRuntime(runtime);
  }
  const { href } = pathToFileURL(file);
  const [wasm, stdlib] = await Promise.all([
    compileFile(join(environment, linkedWasm)),
    readShared(join(runtime.folder, RUNTIME_FILES.stdlib)),
  ]);
  const glue = { emscripten: href, loader: href, file };
  return { wasm, stdlib, glue, links: stored };
}

/** The places of linked files; or the reason why an environment has none. */
export type StoredLinks = Links | { reason: string };

export async function readLinks(environment: string): Promise<StoredLinks> {
  const path = join(environment, ENVIRONMENT_FILES.links);
  return JSON.parse(await Deno.readTextFile(path));
}

async function compileFile(path: string): Promise<WebAssembly.Module> {
  return compileOnce(await Deno.readFile(path));
}

/**
 * Compiles bytes, and gives their memory back: V8 has a copy of its own.
 * `WebAssembly.compile()` would take twice the CPU time.
 */
function compileOnce(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const module = new WebAssembly.Module(bytes);
  bytes.buffer.transfer(0);
  return module;
}

/** Reads Pyodide's own files. */
export async function readRuntime(
  { folder, emscripten }: Runtime,
): Promise<RuntimeFiles> {
  const [wasm, stdlib] = await Promise.all([
    compileFile(join(folder, RUNTIME_FILES.wasm)),
    readShared(join(folder, RUNTIME_FILES.stdlib)),
  ]);
  if (emscripten === undefined) return { wasm, stdlib };
  const glue = {
    loader: await toBlobUrl(join(folder, RUNTIME_FILES.loader)),
    emscripten: await toBlobUrl(join(folder, emscripten)),
  };
  return { wasm, stdlib, glue };
}

/** Files that a worker reads to import JavaScript. */
export function filesOf(glue?: GlueUrls): string[] {
  return glue?.file === undefined ? [] : [glue.file];
}

/** The address of a text in memory: a worker without permissions may import it. */
async function toBlobUrl(path: string): Promise<string> {
  const type = "text/javascript";
  return URL.createObjectURL(new Blob([await Deno.readFile(path)], { type }));
}

/** The data beside a snapshot's bytes. */
export interface StoredIndex extends SnapshotIndex {
  /** Libraries that the snapshot's Python has loaded. */
  libraries: LoadedLibrary[];
  /** Modules that no snapshot can hold: each interpreter imports them. */
  imports: string[];
  /** Folders that the imports of the snapshot have made; absolute. */
  folders: string[];
}

/** An environment's files, ready for a worker. */
export interface EnvironmentFiles
  extends Pick<StoredIndex, "imports" | "folders"> {
  snapshot: OpenSnapshot;
  libraries: CompiledLibrary[];
  /** Pyodide's lock file, without packages: a sandbox loads none. */
  lockFile: string;
  packages: PackageImage;
  /** To tell it from others. */
  identity: Identity;
}

/** Reads an environment, and its snapshot into memory. */
export async function readEnvironment(
  folder: string,
): Promise<EnvironmentFiles & { snapshot: Snapshot }> {
  return await openEnvironment(folder, readShared);
}

/** Reads an environment; its snapshot's file is for `openSnapshot`. */
export async function openEnvironment<Bytes>(
  folder: string,
  openSnapshot: (path: string) => Promise<Bytes>,
) {
  const [bytes, stored, lockFile, index, contents] = await Promise.all([
    openSnapshot(join(folder, ENVIRONMENT_FILES.snapshot)),
    Deno.readTextFile(join(folder, ENVIRONMENT_FILES.snapshotIndex)),
    Deno.readTextFile(join(folder, ENVIRONMENT_FILES.lock)),
    Deno.readTextFile(join(folder, ENVIRONMENT_FILES.packageIndex)),
    readShared(join(folder, ENVIRONMENT_FILES.packages)),
  ]);
  // Written by us in phase 1, and checked when the environment was opened.
  const packages = { files: JSON.parse(index), contents };
  const parsed: StoredIndex = JSON.parse(stored);
  const { libraries, imports, folders, ...places } = parsed;
  const identity = toIdentity({
    environment: basename(folder),
    v8: Deno.version.v8,
    build: await readBuild(join(folder, ENVIRONMENT_FILES.snapshot)),
    tableLength: places.tableLength,
  });
  return {
    snapshot: { ...places, bytes },
    libraries: compileLibraries(libraries, packages),
    imports,
    folders,
    lockFile,
    packages,
    identity,
  };
}

/** Pyodide writes the hash of its build into the head of a snapshot. */
async function readBuild(snapshot: string): Promise<string> {
  using file = await Deno.open(snapshot);
  const bytes = new Uint8Array(32);
  readFully(file, 16, bytes);
  return bytes.toHex();
}

/** Compiles libraries once, for all interpreters of this process. */
export function compileLibraries(
  libraries: LoadedLibrary[],
  { files, contents }: PackageImage,
): CompiledLibrary[] {
  if (libraries.length === 0) return [];
  const places = new Map<string, Uint8Array>();
  let offset = 0;
  for (const [path, length] of files) {
    places.set(`/${path}`, contents.subarray(offset, offset += length));
  }
  return libraries.map((library) => {
    const bytes = places.get(library.path);
    if (!bytes) throw new Error(`Cannot find the library ${library.path}`);
    return { ...library, code: compileOnce(bytes.slice()) };
  });
}

/** Reads a file into memory that every worker sees without a copy. */
async function readShared(path: string): Promise<Uint8Array> {
  using file = await Deno.open(path);
  const { size } = await file.stat();
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  readFully(file, 0, bytes);
  return bytes;
}

/**
 * Hashes (sha256) of linked JavaScript that a worker may import, for each Pyodide. A
 * cache that came with a project could hold any other, which would run before
 * the worker's walls are whole.
 */
const KNOWN = [
  // Pyodide 314.0.7
  "5e4749d52d34661905c03efcf5346710eda41de26861895e64d6ed36dcd67dab",
];

/** Whether a file is the linked JavaScript of a known Pyodide. */
export async function isKnownGlue(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return KNOWN.includes(await sha256Aside(bytes));
}

/** Fits into a processor's cache. */
const WINDOW = 512 * 1024;

/**
 * Serves the bytes of a file to workers, one after another, so that no process keeps
 * them in memory beside its interpreter.
 */
export async function serveFile(path: string): Promise<StoredBytes> {
  const file = await Deno.open(path);
  const { size } = await file.stat();
  const window = new Uint8Array(new SharedArrayBuffer(WINDOW));
  const turn = new Int32Array(new SharedArrayBuffer(8));
  const serve = async () => {
    while (true) {
      await Atomics.waitAsync(turn, 0, TURN.worker).value;
      const place = Atomics.load(turn, 1);
      readFully(file, place, window.subarray(0, Math.max(0, size - place)));
      passTurn(turn, TURN.worker);
    }
  };
  // A failure ends this process: its worker would wait for ever.
  serve();
  return { window, turn };
}

/** Reads until the target is full. */
function readFully(
  file: Deno.FsFile,
  place: number,
  target: Uint8Array,
): void {
  file.seekSync(place, Deno.SeekMode.Start);
  for (let at = 0; at < target.length;) {
    const read = file.readSync(target.subarray(at));
    if (read === null) throw new Error("Cannot read a file: it is cut short");
    at += read;
  }
}
