// Python itself. Only workers import this: it must be evaluated after the
// doors are closed, and only ever in a worker without permissions.
export { loadPyodide } from "pyodide";
export type { PyodideInterface } from "pyodide";
export type { PyCallable, PyProxy } from "pyodide/ffi";
// @ts-types="./pyodide_module.d.ts"
export { default as createPyodideModule } from "pyodide/pyodide.asm.mjs";
