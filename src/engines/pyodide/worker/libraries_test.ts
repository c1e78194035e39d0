import { assertEquals } from "../../../../deps/assert.ts";
import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { offerLibraries } from "./libraries.ts";

const PATHS = ["/usr/lib/libblas.so", "/site/scipy/linalg.so", "/site/a.py"];

Deno.test("offerLibraries() loads a needed library once, by its bare name", () => {
  const { python, loaded, libraries } = fakePyodide({});
  offerLibraries(python, PATHS);
  assertEquals(libraries()["libblas.so"], "/usr/lib/libblas.so");
  assertEquals(libraries()["libblas.so"], "/usr/lib/libblas.so");
  assertEquals(libraries()["/site/scipy/linalg.so"], undefined);
  assertEquals(libraries()["libother.so"], undefined);
  assertEquals(loaded, ["/usr/lib/libblas.so"]);
});

Deno.test("offerLibraries() leaves a Pyodide alone that looks for itself", () => {
  const { python, loaded, libraries } = fakePyodide({ findLibraryFS() {} });
  offerLibraries(python, PATHS);
  assertEquals(libraries()["libblas.so"], undefined);
  assertEquals(loaded, []);
});

/** The part of Pyodide that loads libraries; a loaded library is its own name. */
function fakePyodide(more: object) {
  const loaded: string[] = [];
  const names: Record<string, string> = {};
  const module = {
    ...more,
    LDSO: { loadedLibsByName: names },
    loadDynamicLibrary(path: string) {
      loaded.push(path);
      module.LDSO.loadedLibsByName[path] = path;
    },
  };
  const python = { _module: module } as unknown as PyodideInterface;
  return { python, loaded, libraries: () => module.LDSO.loadedLibsByName };
}
