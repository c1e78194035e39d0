import { join } from "node:path";
import { loadPyodide } from "pyodide";
import type { PyProxy } from "../../deps/pyodide.ts";
import {
  readPythonWheels,
  RESOLVER,
} from "../../src/installer/resolver_start.ts";
import { findPyodide } from "../../src/engines/pyodide/runtime.ts";
import {
  addModules,
  sitePackages,
} from "../../src/engines/pyodide/worker/packages.ts";
import { RUNTIME_FILES } from "../../src/engines/pyodide/versions.ts";

const PACKAGE = "mcp_installer";

/** Python with the modules of phase 1, in this process: its worker takes longer. */
export async function startInstaller(): Promise<{
  /** A module of phase 1 by name. */
  module(name: string): PyProxy;
  run(code: string): unknown;
}> {
  const lock = join(findPyodide(undefined).folder, RUNTIME_FILES.lock);
  const python = await loadPyodide({
    lockFileContents: await Deno.readTextFile(lock),
  });
  const site = sitePackages(python);
  for (const wheel of await readPythonWheels()) {
    python.unpackArchive(wheel, "wheel", { extractDir: site });
  }
  addModules(python, PACKAGE, RESOLVER);
  python.runPython("import importlib; importlib.invalidate_caches()");
  return {
    module: (name) => python.pyimport(`${PACKAGE}.${name}`),
    run: (code) => python.runPython(code),
  };
}
