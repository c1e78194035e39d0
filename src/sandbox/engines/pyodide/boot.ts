import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { type GlueUrls, importGlue } from "./glue.ts";
import { capMemory } from "./memory.ts";
import { javascriptForPython } from "./js_namespace.ts";
import { addLaterNames, openForStart, RUNTIME_FILES } from "./versions.ts";

/** What an interpreter is started from; a snapshot makes it fast. */
export interface BootFiles {
  wasm: WebAssembly.Module;
  stdlib: Uint8Array<ArrayBuffer>;
  /** JavaScript of another Pyodide than the npm package. */
  glue?: GlueUrls;
  /** Where to start from; without it, cold. */
  snapshot?: Uint8Array;
  /** Pyodide's lock file; without packages, where none will be loaded. */
  lockFile: string;
  memoryBytes: number;
}

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
  capMemory(files.memoryBytes);
  answerFetch(files);
  instantiateFrom(files.wasm);
  using _open = files.glue && openForStart();
  const { loadPyodide, ...glue } = await importGlue(files.glue);
  const options = {
    ...glue,
    indexURL: "file:///pyodide/",
    lockFileContents: files.lockFile,
    jsglobals: javascriptForPython(),
    env: { HOME: "/workspace", PATH: "/usr/bin", MPLBACKEND: "Agg" },
    ...(make ? { _makeSnapshot: true } : {}),
    ...(files.snapshot ? { _loadSnapshot: files.snapshot } : {}),
  };
  const python = await loadPyodide(options);
  forgetSnapshot(python);
  addLaterNames(python);
  return python;
}

/**
 * The snapshot's memory is shared with the interpreters to come, and Pyodide
 * keeps its options where Python finds them: what a run wrote there would be the
 * next one's.
 */
function forgetSnapshot(python: PyodideInterface): void {
  const { config } = Reflect.get(python, "_api");
  Reflect.deleteProperty(config, "_loadSnapshot");
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
