import * as npm from "../../../../deps/pyodide.ts";
import type { EmscriptenLibraries } from "./libraries.ts";
import type { EmscriptenMemory } from "./snapshot.ts";
import { offeredModule } from "../versions.ts";

/** Pyodide's JavaScript: addresses that a worker without permissions may import. */
export interface GlueUrls {
  loader: string;
  emscripten: string;
}

/** What of the Emscripten module is used here. */
export type EmscriptenModule = EmscriptenMemory & EmscriptenLibraries;

/** Starts the Emscripten module, with the settings that Pyodide makes. */
export type CreateModule = (settings: {
  INITIAL_MEMORY?: number;
  preRun: ((module: EmscriptenModule) => unknown)[];
}) => Promise<EmscriptenModule>;

/** Pyodide's JavaScript. */
export interface Glue {
  loadPyodide: (options: object) => Promise<npm.PyodideInterface>;
  createPyodideModule: CreateModule;
}

/**
 * Gives another Pyodide's JavaScript, or that of the npm package.
 *
 * The latter is imported anyway: if it were only when wanted, each start would
 * take 12 ms longer.
 */
export async function importGlue(urls?: GlueUrls): Promise<Glue> {
  if (!urls) return npm;
  const { default: exported } = await import(urls.emscripten);
  const { loadPyodide } = await import(urls.loader);
  return { loadPyodide, createPyodideModule: exported ?? offeredModule() };
}
