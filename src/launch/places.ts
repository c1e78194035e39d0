import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import pyodidePackage from "pyodide/package.json" with { type: "json" };
import type { Places } from "./flags.ts";

/** Version of the Pyodide that npm delivered. */
export const PYODIDE_VERSION: string = pyodidePackage.version;

/** Folder of Pyodide's own files. */
export const PYODIDE_FOLDER: string = dirname(
  fileURLToPath(import.meta.resolve("pyodide/pyodide.asm.wasm")),
);

/** Where the scopes of the permission table are. */
export function placesFor(cache: string, environment: string): Places {
  const sources = ["../../src", "../../deps"];
  return {
    cache: [cache],
    environment: [environment],
    pyodide: [PYODIDE_FOLDER],
    sources: [],
    program: sources.map((path) => fileURLToPath(import.meta.resolve(path))),
  };
}
