/**
 * Removes Pyodide's functions for Node: they import Node's modules, which a worker
 * may import without any permission, and with them `process` and its streams.
 */
export function closeNode(python: object): void {
  const api = Reflect.get(python, "_api");
  Reflect.deleteProperty(api, "initializeNodeSockFS");
  for (const name of ["useNodeSockFS", "mountNodeFS"]) {
    Reflect.deleteProperty(python, name);
  }
  // Pyodide checks this again and again; it is absent before 0.28.
  if (api.runtimeEnv) Object.freeze(api.runtimeEnv);
}
