import type { PyodideInterface } from "../../../../deps/pyodide.ts";

/**
 * Takes away what Pyodide has for Node: it imports Node's modules, which a worker
 * can have without any permission, and with them `process` and its streams.
 */
export function closeNode(python: PyodideInterface): void {
  const api = Reflect.get(python, "_api");
  Reflect.deleteProperty(api, "initializeNodeSockFS");
  for (const name of ["useNodeSockFS", "mountNodeFS"]) {
    Reflect.deleteProperty(python, name);
  }
  // Whether this is Node is asked again and again; absent before 0.28.
  if (api.runtimeEnv) Object.freeze(api.runtimeEnv);
}
