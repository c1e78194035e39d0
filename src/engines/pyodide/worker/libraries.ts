import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { findsLibraries } from "../versions.ts";

/** A shared library that a snapshot's Python has loaded. */
export interface LoadedLibrary {
  /** Where it is; absolute. */
  path: string;
  /** Numbers that Python knows it by. */
  handles: number[];
}

/** The same, compiled. */
export interface CompiledLibrary extends LoadedLibrary {
  code: WebAssembly.Module;
}

/** What of the Emscripten module this uses. */
export interface EmscriptenLibraries {
  LDSO: {
    loadedLibsByName: Record<string, Library>;
    loadedLibsByHandle: Record<number, Library>;
  };
  newDSO(name: string, handle: undefined, exports: object): Library;
  loadWebAssemblyModule(
    code: WebAssembly.Module,
    flags: object,
    name: string,
    scope: object,
  ): object;
  reportUndefinedSymbols(): void;
}

/** Resolves symbols for all libraries at once: it takes as long as for one. */
const LATER = { allowUndefined: true };

interface Library {
  name: string;
  refcount: number;
  global: boolean;
  exports: object;
}

/**
 * Loads libraries before Python starts.
 *
 * So early they get memory and table entries one behind the other: at the same
 * places whenever the same ones are loaded in the same order, which is what a
 * snapshot of their memory needs.
 */
export function preloadLibraries(
  module: EmscriptenLibraries,
  libraries: CompiledLibrary[],
): void {
  if (libraries.length === 0) return;
  const { LDSO } = module;
  const byName = new Map(
    libraries.map((library) => [fileName(library.path), library]),
  );
  const load = ({ path, code, handles }: CompiledLibrary): Library => {
    const known = LDSO.loadedLibsByName[path];
    if (known) return known;
    const library = module.newDSO(path, undefined, {});
    library.refcount = Infinity;
    library.global = false;
    library.exports = module.loadWebAssemblyModule(code, LATER, path, {});
    for (const handle of handles) LDSO.loadedLibsByHandle[handle] = library;
    return library;
  };
  // What a library needs is looked up by its bare name, as nothing can be found
  // in files yet.
  const loaded = LDSO.loadedLibsByName;
  LDSO.loadedLibsByName = new Proxy(loaded, {
    get(_, name) {
      const needed = typeof name === "string" ? byName.get(name) : undefined;
      if (needed && !(needed.path in loaded)) {
        loaded[needed.path] = load(needed);
      }
      return Reflect.get(loaded, needed?.path ?? name);
    },
  });
  for (const library of libraries) load(library);
  LDSO.loadedLibsByName = loaded;
  module.reportUndefinedSymbols();
}

/** The libraries that an interpreter has loaded from files, in order. */
export function loadedLibraries(
  { LDSO }: EmscriptenLibraries,
): LoadedLibrary[] {
  const handles = Object.entries(LDSO.loadedLibsByHandle);
  return [...new Set(Object.values(LDSO.loadedLibsByName))]
    .filter(({ name }) => name.startsWith("/"))
    .map((library) => ({
      path: library.name,
      handles: handles.flatMap(([handle, other]) =>
        other === library ? [Number(handle)] : []
      ),
    }));
}

/**
 * Lets extension modules find the shared libraries that they need: those are
 * loaded when first asked for.
 *
 * @param paths Files among which the libraries are; absolute.
 */
export function offerLibraries(
  python: PyodideInterface,
  paths: Iterable<string>,
): void {
  if (findsLibraries(python)) return;
  const module = Reflect.get(python, "_module");
  const places = new Map<string, string>();
  for (const path of paths) {
    if (path.endsWith(".so")) places.set(fileName(path), path);
  }
  // A needed library is looked up here by its bare name, and nowhere else.
  module.LDSO.loadedLibsByName = new Proxy(module.LDSO.loadedLibsByName, {
    get(loaded, name) {
      const path = typeof name === "string" && places.get(name);
      if (path && !(name in loaded)) {
        if (!(path in loaded)) {
          module.loadDynamicLibrary(path, {
            fs: module.FS,
            global: false,
            nodelete: true,
            allowUndefined: true,
          }, {});
        }
        loaded[name] = loaded[path];
      }
      return Reflect.get(loaded, name);
    },
  });
}

function fileName(path: string): string {
  return path.replace(/.*\//, "");
}
