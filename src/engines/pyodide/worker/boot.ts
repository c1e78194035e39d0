import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { openFolderTables } from "./folder_tables.ts";
import { type CreateModule, type GlueUrls, importGlue } from "./glue.ts";
import { javascriptForPython } from "./js_namespace.ts";
import { type CompiledLibrary, preloadLibraries } from "./libraries.ts";
import { capMemory } from "./memory.ts";
import { restoreMemory, type Snapshot, snapshotHead } from "./snapshot.ts";
import {
  addLaterNames,
  dirtyRanges,
  openForStart,
  RUNTIME_FILES,
} from "../versions.ts";

/** What an interpreter is started from; a snapshot makes it fast. */
export interface BootFiles {
  wasm: WebAssembly.Module;
  stdlib: Uint8Array<ArrayBuffer>;
  /** JavaScript of another Pyodide than the npm package. */
  glue?: GlueUrls;
  /** Where to start from; without it, cold. */
  snapshot?: Snapshot;
  /** Libraries that the snapshot's Python has loaded. */
  libraries?: CompiledLibrary[];
  /** Pyodide's lock file; without packages, where none will be loaded. */
  lockFile: string;
  memoryBytes: number;
}

/**
 * What this worker's start was like: memory that is restored has addresses in it
 * that only the same start makes true.
 */
export const beforePython = { tableLength: 0 };

/**
 * Starts a Python interpreter in this worker, from memory alone: Pyodide takes
 * its browser branch, and what it fetches is answered from `files`.
 *
 * @param files What the host read for us.
 * @param make Whether a memory snapshot will be made of it.
 */
export async function boot(
  files: BootFiles,
  make = false,
): Promise<PyodideInterface> {
  const { snapshot, memoryBytes } = files;
  if (snapshot && snapshot.memory > memoryBytes) {
    throw new RangeError(
      `Python with its packages takes ${
        toMiB(snapshot.memory)
      } MiB, and its limit is ${
        toMiB(memoryBytes)
      } MiB: allow more with --memory`,
    );
  }
  capMemory(memoryBytes);
  answerFetch(files);
  instantiateFrom(files.wasm);
  using open = files.glue && openForStart();
  const { loadPyodide, createPyodideModule } = await importGlue(files.glue);
  const create = startOnce(createPyodideModule, files);
  open?.offer(create);
  const python = await loadPyodide({
    createPyodideModule: create,
    indexURL: "file:///pyodide/",
    lockFileContents: files.lockFile,
    jsglobals: javascriptForPython(),
    env: { HOME: "/workspace", PATH: "/usr/bin", MPLBACKEND: "Agg" },
    ...(make ? { _makeSnapshot: true } : {}),
    ...(snapshot ? { _loadSnapshot: snapshotHead(snapshot) } : {}),
  });
  openFolderTables(python.FS);
  addLaterNames(python);
  return python;
}

/**
 * Starts the Emscripten module as the snapshot wants it.
 *
 * Once only: Pyodide keeps this function where Python finds it, and the
 * snapshot's memory is shared with the interpreters to come.
 */
function startOnce(
  create: CreateModule,
  { snapshot, libraries = [] }: Pick<BootFiles, "snapshot" | "libraries">,
): CreateModule {
  let isUsed = false;
  return async (settings) => {
    if (isUsed) throw new TypeError("Cannot start a second interpreter");
    isUsed = true;
    if (snapshot) {
      // Pyodide takes the snapshot's size for it, of which it sees the head.
      delete settings.INITIAL_MEMORY;
    }
    settings.preRun.push((module) => {
      preloadLibraries(module, libraries);
      beforePython.tableLength = module.wasmTable.length;
      if (snapshot && snapshot.tableLength !== beforePython.tableLength) {
        throw new Error("The snapshot is for another start; install anew");
      }
    });
    const module = await create(settings);
    if (snapshot) {
      restoreMemory(module, snapshot, dirtyRanges(module));
    }
    return module;
  };
}

function toMiB(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

function answerFetch({ stdlib, lockFile }: BootFiles): void {
  const answers = (url: URL) => {
    const name = url.pathname.split("/").at(-1);
    switch (name) {
      case RUNTIME_FILES.stdlib:
        return { ok: true, arrayBuffer: () => Promise.resolve(stdlib) };
      case RUNTIME_FILES.lock:
        return { ok: true, json: () => Promise.resolve(JSON.parse(lockFile)) };
      case RUNTIME_FILES.wasm:
        return { ok: true };
    }
    throw new TypeError(`Cannot fetch ${url} as a sandbox has no network`);
  };
  Reflect.set(
    globalThis,
    "fetch",
    (url: string | URL) => Promise.resolve(answers(new URL(url))),
  );
}

function instantiateFrom(module: WebAssembly.Module): void {
  WebAssembly.instantiateStreaming = async (_response, imports) => ({
    module,
    instance: await WebAssembly.instantiate(module, imports ?? {}),
  });
}
