import * as npm from "../../../../deps/pyodide.ts";
import type { EmscriptenLibraries } from "./libraries.ts";
import type { EmscriptenMemory } from "./snapshot.ts";
import { offeredModule } from "../versions.ts";

/** URLs of Pyodide's JavaScript that a worker without permissions may import. */
export interface GlueUrls {
  loader: string;
  emscripten: string;
}

type EmscriptenModule = EmscriptenMemory & EmscriptenLibraries;

/** Starts the Emscripten module with Pyodide's settings. */
export type CreateModule = (settings: {
  INITIAL_MEMORY?: number;
  preRun: ((module: EmscriptenModule) => unknown)[];
}) => Promise<EmscriptenModule>;

interface Glue {
  loadPyodide: (options: object) => Promise<npm.PyodideInterface>;
  createPyodideModule: CreateModule;
}

/**
 * Imports another Pyodide's JavaScript; without URLs, gives that of the npm
 * package, which is always imported: on demand, each start would take 12 ms more.
 */
export async function importGlue(urls?: GlueUrls): Promise<Glue> {
  if (!urls) return npm;
  const { default: exported } = await import(urls.emscripten);
  const { loadPyodide } = await import(urls.loader);
  return { loadPyodide, createPyodideModule: exported ?? offeredModule() };
}
