/**
 * Starts the Emscripten module. Pyodide ships no types for this file; it is only
 * handed on to `loadPyodide()`, which knows what comes back.
 */
export default function createPyodideModule(settings: object): Promise<never>;
