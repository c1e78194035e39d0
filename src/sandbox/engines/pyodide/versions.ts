/**
 * All that differs from one version of Pyodide to the next, told by what is
 * there rather than by number. Tried with 0.26, 0.27, 0.28, 0.29 and 314.
 *
 * @module
 */
import type { PyodideInterface } from "../../../../deps/pyodide.ts";

/** Names of Pyodide's own files in its folder. */
export const RUNTIME_FILES = {
  loader: "pyodide.mjs",
  wasm: "pyodide.asm.wasm",
  stdlib: "python_stdlib.zip",
  lock: "pyodide-lock.json",
} as const;

/** Names that the Emscripten module has: a script up to 0.29, then a module. */
export const EMSCRIPTEN_FILES = ["pyodide.asm.mjs", "pyodide.asm.js"] as const;

/**
 * Gives another Pyodide what it looks for in a worker; none of it leads out.
 *
 * Up to 0.29 it wants `importScripts` to be there, and later to fail: so it
 * tells a worker of modules. Up to 0.27 it copies lists of types, whenever it
 * loads a library.
 *
 * @returns Takes back what is for the start alone.
 */
export function openForStart(): Disposable {
  const start = {
    importScripts() {
      throw new TypeError("Cannot import a script as this is a module");
    },
    // By this name a script hands on what a module exports.
    _createPyodideModule: undefined,
  };
  const copy = (value: unknown) => JSON.parse(JSON.stringify(value));
  Object.assign(globalThis, start, { structuredClone: copy });
  return {
    [Symbol.dispose]() {
      for (const name of Object.keys(start)) {
        Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}

/** Gives an earlier Pyodide the names that micropip wants to import. */
export function addLaterNames(python: PyodideInterface): void {
  const api = Reflect.get(python, "_api");
  const later = [
    [api, "install"], // from 0.27 on
    [python, "lockfileBaseUrl"], // from 0.28 on
    [api.config, "cdnUrl"],
  ] as const;
  for (const [owner, name] of later) {
    if (!Reflect.has(owner, name)) Reflect.set(owner, name, "");
  }
}

/** Whether Python guards its stack by address: from 3.14 on. */
export function guardsStack(python: PyodideInterface): boolean {
  const module = Reflect.get(python, "_module");
  return "_PyUnstable_ThreadState_SetStackProtection" in module;
}

/** Whether a library that another one needs is looked for: from 0.28 on. */
export function findsLibraries(python: PyodideInterface): boolean {
  return "findLibraryFS" in Reflect.get(python, "_module");
}
