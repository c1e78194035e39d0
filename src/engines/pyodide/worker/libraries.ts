import { findsLibraries } from "../versions.ts";

/** A shared library that the Python of a snapshot has loaded. */
export interface LoadedLibrary {
  /** Absolute. */
  path: string;
  /** The numbers by which Python knows it. */
  handles: number[];
}

export interface CompiledLibrary extends LoadedLibrary {
  code: WebAssembly.Module;
}

/** The part of the Emscripten module that this file uses. */
export interface EmscriptenLibraries {
  LDSO: {
    loadedLibsByName: Record<string, Library>;
    loadedLibsByHandle: Record<number, Library>;
  };
  newDSO(name: string, handle: undefined, exports: object): Library;
  loadWebAssemblyModule(code: WebAssembly.Module, ...rest: unknown[]): object;
  reportUndefinedSymbols(): void;
}

/** Resolves all symbols at once, which takes as long as those of a single library. */
const LATER = { allowUndefined: true };

interface Library {
  name: string;
  refcount: number;
  global: boolean;
  exports: object;
}

/**
 * Loads libraries before Python starts, when they get consecutive memory and table
 * entries. So the same libraries in the same order get the same places, which a
 * snapshot of their memory needs.
 */
export function preloadLibraries(
  module: EmscriptenLibraries,
  libraries: CompiledLibrary[],
): void {
  if (libraries.length === 0) return;
  const { LDSO } = module;
  const loaded = LDSO.loadedLibsByName;
  const byName = new Map(libraries.map((it) => [fileName(it.path), it]));
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
  // Without files, Emscripten looks for a needed library by its bare name.
  LDSO.loadedLibsByName = new Proxy(loaded, {
    get(_, name) {
      const needed = typeof name === "string" ? byName.get(name) : undefined;
      if (needed) loaded[needed.path] ??= load(needed);
      return Reflect.get(loaded, needed?.path ?? name);
    },
  });
  for (const library of libraries) load(library);
  LDSO.loadedLibsByName = loaded;
  module.reportUndefinedSymbols();
}

/** Lists the libraries that an interpreter has loaded from files, in order. */
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
 * Lets extension modules find the shared libraries that they need: a library is
 * loaded at the first lookup.
 *
 * @param paths Absolute paths of files, the libraries among them.
 */
export function offerLibraries(
  python: object,
  paths: Iterable<string>,
): void {
  if (findsLibraries(python)) return;
  const module = Reflect.get(python, "_module");
  const libraries = [...paths].filter((path) => path.endsWith(".so"));
  const places = new Map(libraries.map((path) => [fileName(path), path]));
  const flags = { global: false, nodelete: true, allowUndefined: true };
  const options = { fs: module.FS, ...flags };
  // Emscripten looks for a needed library here only, by its bare name.
  module.LDSO.loadedLibsByName = new Proxy(module.LDSO.loadedLibsByName, {
    get(loaded, name) {
      const path = typeof name === "string" && places.get(name);
      if (path && !(name in loaded)) {
        if (!(path in loaded)) module.loadDynamicLibrary(path, options, {});
        loaded[name] = loaded[path];
      }
      return Reflect.get(loaded, name);
    },
  });
}

function fileName(path: string): string {
  return path.replace(/.*\//, "");
}
