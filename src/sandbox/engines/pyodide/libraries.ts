import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { findsLibraries } from "./versions.ts";

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
    if (path.endsWith(".so")) places.set(path.replace(/.*\//, ""), path);
  }
  // A needed library is looked up here by its bare name, and nowhere else.
  module.LDSO.loadedLibsByName = new Proxy(module.LDSO.loadedLibsByName, {
    get(loaded, name) {
      const path = typeof name === "string" && places.get(name);
      if (path && !(name in loaded)) {
        module.loadDynamicLibrary(path, {
          fs: module.FS,
          global: false,
          nodelete: true,
          allowUndefined: true,
        }, {});
        loaded[name] = loaded[path];
      }
      return Reflect.get(loaded, name);
    },
  });
}
