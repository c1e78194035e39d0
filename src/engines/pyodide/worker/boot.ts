import type { Mount } from "../../../grants/mounts.ts";
import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { MIB } from "../../../units.ts";
import { forgetFile } from "./doors.ts";
import { freezeLanguage } from "../../shared/freeze.ts";
import {
  type CreateModule,
  type EmscriptenModule,
  type GlueUrls,
  importGlue,
} from "./glue.ts";
import { javascriptForPython } from "./js_namespace.ts";
import { type CompiledLibrary, preloadLibraries } from "./libraries.ts";
import { LINKS, type Links, openLinks } from "./links.ts";
import { capMemory } from "./memory.ts";
import { mountStdlib } from "./packages.ts";
import {
  growTo,
  type OpenSnapshot,
  restoreMemory,
  snapshotHead,
} from "./snapshot.ts";
import { applyPages } from "./checkpoint/pages.ts";
import { headWith } from "./checkpoint/hiwire.ts";
import type { Checkpoint } from "../checkpoint_format.ts";
import {
  addLaterNames,
  dirtyRanges,
  openForStart,
  RUNTIME_FILES,
} from "../versions.ts";
import type { EmscriptenFS, Node } from "../../shared/emscripten_fs.ts";
import { AgingRegistry, reach } from "./reach.ts";

/**
 * The home folder, which Emscripten makes. The caches of packages, such as matplotlib's list
 * of fonts, lie there: they are not among the files of a run.
 */
const HOME = "/home/web_user";

export interface BootFiles {
  mounts?: readonly Mount[];
  /** Paths that the worker may read until Python starts. */
  ownReads?: readonly string[];
  wasm: WebAssembly.Module;
  /** Shared by all interpreters of a process. */
  stdlib: Uint8Array;
  /** Absent for the npm package. */
  glue?: GlueUrls;
  /** Places of symbols, for linked files; absent for Pyodide's own. */
  links?: Links;
  /** The snapshot to restore; Python starts cold if it is undefined. */
  snapshot?: OpenSnapshot;
  /** Libraries that the Python of the snapshot has loaded. */
  libraries?: CompiledLibrary[];
  /** Bytes of memory that these libraries need before Python starts, without a snapshot. */
  libraryBytes?: number;
  /** A saved session to go on with: an interpreter that started from this snapshot. */
  checkpoint?: Checkpoint;
  /** Pyodide's lock file; it lists no packages where Pyodide loads none. */
  lockFile: string;
  memoryBytes: number;
}

/**
 * State of this worker before Python started: the addresses in a snapshot's
 * memory are right only after the same start.
 */
export const beforePython: {
  tableLength: number;
  offsets: EmscriptenModule["GOT"];
  /** The memory of Python. */
  memory?: WebAssembly.Memory | undefined;
  globals: WebAssembly.Global[];
} = { tableLength: 0, offsets: {}, globals: [] };

/** The parts of Pyodide that are there before the memory of a snapshot. */
export type BarePyodide = Pick<PyodideInterface, "FS"> & {
  _module: EmscriptenModule;
  _api: object;
};

/**
 * Starts a Python interpreter in this worker, from memory alone: Pyodide takes
 * its browser branch, and `files` answer its requests.
 *
 * @param make Whether the caller will take a memory snapshot.
 * @param furnish Called before the memory of a snapshot is restored, with which
 * Python's code may start: a session's can have replaced any of it.
 */
export async function boot(
  files: BootFiles,
  make = false,
  furnish?: (python: BarePyodide) => void,
): Promise<PyodideInterface> {
  const { snapshot, checkpoint, memoryBytes } = files;
  if (snapshot && snapshot.memory > memoryBytes) {
    const [needed, limit] = [snapshot.memory, memoryBytes].map((bytes) =>
      Math.ceil(bytes / MIB)
    );
    throw new RangeError(
      `Python with its packages takes ${needed} MiB, and its limit is ${limit} MiB: allow more with --memory`,
    );
  }
  capMemory(memoryBytes);
  answerFetch(files);
  // Pyodide tells nothing of an error on the way to Python, and waits for ever.
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  instantiateFrom(files.wasm, failed.reject);
  // The version of linked files needs nothing of it.
  using open = files.glue && !files.links ? openForStart() : undefined;
  const { loadPyodide, createPyodideModule } = await importGlue(
    files.glue,
    files.mounts,
  );
  files.ownReads?.forEach(forgetFile);
  const create = startOnce(createPyodideModule, files, {
    furnish,
    onFailed: failed.reject,
  });
  open?.offer(create);
  const loaded = loadPyodide({
    createPyodideModule: create,
    indexURL: "file:///pyodide/",
    lockFileContents: files.lockFile,
    jsglobals: javascriptForPython(),
    env: { HOME, PATH: "/usr/bin", MPLBACKEND: "Agg" },
    ...(make ? { _makeSnapshot: true } : {}),
    ...(snapshot ? { _loadSnapshot: headOf(snapshot, checkpoint) } : {}),
  });
  const python = await Promise.race([loaded, failed.promise]);
  addLaterNames(python);
  return python;
}

/**
 * Makes a function that starts the Emscripten module as the snapshot needs it, and
 * only once: Python can reach the function through Pyodide, and later interpreters
 * share the snapshot's memory.
 */
function startOnce(
  create: CreateModule,
  files: BootFiles,
  { furnish, onFailed }: {
    furnish: ((python: BarePyodide) => void) | undefined;
    onFailed: (error: unknown) => void;
  },
): CreateModule {
  const { snapshot, checkpoint, links, stdlib } = files;
  let isUsed = false;
  return async (settings) => {
    if (isUsed) throw new TypeError("Cannot start a second interpreter");
    isUsed = true;
    // Pyodide derives this from the snapshot's size, but sees only its head.
    if (snapshot) delete settings.INITIAL_MEMORY;
    if (links) settings[LINKS] = openLinks(links);
    settings.preRun.push((module) => {
      try {
        prepare(module, files);
      } catch (error) {
        onFailed(error);
        throw error;
      }
    });
    const module = await withRegistry(() => create(settings));
    openFolderTables(module.FS);
    if (snapshot) {
      const bare = { FS: module.FS, _module: module, _api: module.API };
      mountStdlib(bare, stdlib);
      furnish?.(bare);
      // Packages have written this memory: Pyodide runs their code from here on.
      freezeLanguage();
      restoreMemory(module, snapshot, dirtyRanges(module));
      if (checkpoint) applyPages(module, checkpoint);
    }
    return module;
  };
}

/** Takes the module to where it was when the memory of a snapshot was that of a start. */
function prepare(
  module: EmscriptenModule,
  { snapshot, libraries = [], libraryBytes = 0 }: BootFiles,
): void {
  // The data of a hundred libraries do not fit into what Pyodide starts with.
  growTo(module, snapshot?.memory ?? libraryBytes);
  preloadLibraries(module, libraries);
  beforePython.tableLength = module.wasmTable.length;
  beforePython.offsets = module.GOT;
  if (snapshot && snapshot.tableLength !== beforePython.tableLength) {
    throw new Error("The snapshot is for another start; install anew");
  }
}

/** Python's objects that JavaScript has are given back by a registry of ours. */
async function withRegistry<T>(step: () => Promise<T>): Promise<T> {
  const own = FinalizationRegistry;
  Reflect.set(globalThis, "FinalizationRegistry", AgingRegistry);
  try {
    return await step();
  } finally {
    Reflect.set(globalThis, "FinalizationRegistry", own);
  }
}

function headOf(snapshot: OpenSnapshot, checkpoint?: Checkpoint): Uint8Array {
  const head = snapshotHead(snapshot);
  return checkpoint ? headWith(head, checkpoint) : head;
}

function answerFetch({ stdlib, lockFile, snapshot }: BootFiles): void {
  // Pyodide copies it: a restored start has its bytes in another way.
  const copied = snapshot ? new Uint8Array() : stdlib;
  const answer = (url: URL) => {
    switch (url.pathname.split("/").at(-1)) {
      case RUNTIME_FILES.stdlib:
        return { ok: true, arrayBuffer: () => Promise.resolve(copied) };
      case RUNTIME_FILES.lock:
        return { ok: true, json: () => Promise.resolve(JSON.parse(lockFile)) };
      case RUNTIME_FILES.wasm:
        return { ok: true };
    }
    throw new TypeError(`Cannot fetch ${url} as a sandbox has no network`);
  };
  const fetch = (url: string | URL) => Promise.resolve(answer(new URL(url)));
  Reflect.set(globalThis, "fetch", fetch);
}

function instantiateFrom(
  module: WebAssembly.Module,
  onFailed: (error: unknown) => void,
): void {
  WebAssembly.instantiateStreaming = async (_response, imports = {}) => {
    try {
      reach.watch(imports);
      const instance = await WebAssembly.instantiate(module, imports);
      beforePython.globals = [imports.env ?? {}, instance.exports]
        .flatMap(Object.values)
        .filter((it) => it instanceof WebAssembly.Global);
      // Python's memory is an export from 0.28 on, and an import before.
      beforePython.memory = [instance.exports, imports.env ?? {}]
        .map(({ memory }) => memory)
        .find((it) => it instanceof WebAssembly.Memory);
      reach.memory = beforePython.memory;
      return { module, instance };
    } catch (error) {
      onFailed(error);
      throw error;
    }
  };
}

/**
 * Gives each folder, present and later, a table without a prototype.
 *
 * Emscripten keeps the nodes of a folder in a plain object, by name. In it,
 * `toString` would name a frozen function that every object inherits, and
 * `__proto__` the table's prototype: making such a file would end the
 * interpreter, or hide the file.
 */
function openFolderTables(
  { nameTable, filesystems: { MEMFS } }: EmscriptenFS,
): void {
  const { createNode } = MEMFS;
  MEMFS.createNode = (parent, name, ...rest) =>
    withoutPrototype(createNode(parent, name, ...rest));
  for (const first of nameTable) {
    for (let node = first; node; node = node.name_next) withoutPrototype(node);
  }
}

function withoutPrototype(node: Node): Node {
  const { contents } = node;
  if (contents && !ArrayBuffer.isView(contents)) {
    Object.setPrototypeOf(contents, null);
  }
  return node;
}
