/**
 * The differences between versions of Pyodide, found by their files rather than by
 * their number. Tried with 0.26, 0.27, 0.28, 0.29 and 314.
 *
 * @module
 */
import type { PyodideInterface } from "../../../deps/pyodide.ts";
import type { Range } from "./worker/snapshot.ts";

/** Names of Pyodide's own files in its folder. */
export const RUNTIME_FILES = {
  loader: "pyodide.mjs",
  wasm: "pyodide.asm.wasm",
  stdlib: "python_stdlib.zip",
  lock: "pyodide-lock.json",
} as const;

/** Names of an environment's files in its folder. */
export const ENVIRONMENT_FILES = {
  snapshot: "snapshot.bin",
  snapshotIndex: "snapshot.json",
  lock: "pyodide-lock.json",
  packageIndex: "packages.json",
  packages: "packages.bin",
  linkedWasm: "linked.wasm",
  linkedGlue: "linked.mjs",
  links: "links.json",
} as const;

/** Names that the Emscripten module has: a script up to 0.29, then a module. */
export const EMSCRIPTEN_FILES = ["pyodide.asm.mjs", "pyodide.asm.js"] as const;

/** By this name a script hands on a module's exports. */
const MODULE_NAME = "_createPyodideModule";

/**
 * Gives another Pyodide the names that it looks for in a worker; none leads out.
 *
 * Up to 0.29 it wants `importScripts` to be there, and later to fail: so it
 * tells a worker of modules. Up to 0.27 it copies lists of types, whenever it
 * loads a library.
 *
 * @returns Takes back the names that are for the start alone.
 */
export function openForStart() {
  const start = {
    importScripts() {
      throw new TypeError("Cannot import a script as this is a module");
    },
    [MODULE_NAME]: undefined,
  };
  const structuredClone = (it: unknown) => JSON.parse(JSON.stringify(it));
  Object.assign(globalThis, start, { structuredClone });
  return {
    /** Takes the place of the Emscripten module that a script has left. */
    offer(createModule: unknown) {
      Reflect.set(globalThis, MODULE_NAME, createModule);
    },
    [Symbol.dispose]() {
      for (const name of Object.keys(start)) {
        Reflect.deleteProperty(globalThis, name);
      }
    },
  };
}

/** The Emscripten module that a script has left: up to 0.29. */
export function offeredModule() {
  return Reflect.get(globalThis, MODULE_NAME);
}

/**
 * Where a memory may have been written to when Python has not yet started: as
 * far as it was given out, but for the stack, on which nothing is alive. A
 * version that does not tell has all of it.
 */
export function dirtyRanges(module: { HEAPU8: Uint8Array }): Range[] {
  const { HEAPU8 } = module;
  const tells = STACK_AND_HEAP.every((name) => name in module);
  if (!tells) return [[0, HEAPU8.length]];
  const tell = (name: string): number => Reflect.get(module, name)();
  const [low = 0, high = 0, place = 0] = STACK_AND_HEAP.map(tell);
  const given = new DataView(HEAPU8.buffer).getUint32(place, true);
  return [[0, low], [high, given - high]];
}

const STACK_AND_HEAP = [
  "_emscripten_stack_get_end",
  "_emscripten_stack_get_base",
  "_emscripten_get_sbrk_ptr",
];

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
export function findsLibraries(python: object): boolean {
  return "findLibraryFS" in Reflect.get(python, "_module");
}
