const LANGUAGE = `
  Object Array Number Boolean String Symbol Date Promise RegExp BigInt Error
  RangeError TypeError Map Set WeakMap WeakSet WeakRef JSON Math ArrayBuffer
  DataView Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array
  Float32Array Float64Array AbortController AbortSignal setTimeout clearTimeout
  setInterval clearInterval`.trim().split(/\s+/);

const HTTP =
  ": use pyodide.http.pyfetch, urllib.request, requests or httpx instead";

/** Names that Python packages import when they load, and the end of the error that each throws. */
const CLOSED = { eval: "", fetch: HTTP, Request: HTTP, XMLHttpRequest: HTTP };

/** The names of that module. */
export const JS_NAMES: ReadonlySet<string> = new Set([
  ...LANGUAGE,
  ...Object.keys(CLOSED),
]);

/**
 * Makes the module that Python's `import js` gives: the language, timers, and
 * functions that throw in the place of what leads out of the sandbox.
 *
 * The list of names is the same each time, as a memory snapshot refers to the
 * entries by name.
 */
export function javascriptForPython(): object {
  const names: Record<string, unknown> = Object.create(null);
  for (const name of LANGUAGE) names[name] = Reflect.get(globalThis, name);
  for (const [name, advice] of Object.entries(CLOSED)) {
    names[name] = function () {
      const reason = `js.${name} is not available in this sandbox${advice}`;
      // Without a stack, Pyodide wraps the message in another.
      throw Object.assign(new Error(reason), { stack: "" });
    };
  }
  return names;
}

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
