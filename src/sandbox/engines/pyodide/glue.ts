import * as npm from "../../../../deps/pyodide.ts";

/** Pyodide's JavaScript: addresses that a worker without permissions may import. */
export interface GlueUrls {
  loader: string;
  emscripten: string;
}

/** Pyodide's JavaScript. */
export interface Glue {
  loadPyodide: typeof npm.loadPyodide;
  /** Absent if `loadPyodide()` finds it by its global name. */
  createPyodideModule?: typeof npm.createPyodideModule;
}

/**
 * Gives another Pyodide's JavaScript, or that of the npm package.
 *
 * The latter is imported anyway: if it were only when wanted, each start would
 * take 12 ms longer.
 */
export async function importGlue(urls?: GlueUrls): Promise<Glue> {
  if (!urls) return npm;
  const { default: createPyodideModule } = await import(urls.emscripten);
  const { loadPyodide } = await import(urls.loader);
  return { loadPyodide, ...(createPyodideModule && { createPyodideModule }) };
}
