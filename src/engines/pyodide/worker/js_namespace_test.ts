import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { javascriptForPython } from "./js_namespace.ts";

/** All names of `import js`; the functions on the last line throw. */
const NAMES = `
  AbortController AbortSignal Array ArrayBuffer BigInt Boolean DataView Date Error Float32Array Float64Array
  Int16Array Int32Array Int8Array JSON Map Math Number Object Promise RangeError RegExp Set String Symbol
  TypeError Uint16Array Uint32Array Uint8Array WeakMap WeakRef WeakSet
  clearInterval clearTimeout setInterval setTimeout
  Request XMLHttpRequest eval fetch`;

Deno.test("javascriptForPython() shows a list of names, without symbols or a prototype", () => {
  const shown = javascriptForPython();
  const names = NAMES.trim().split(/\s+/).sort();
  assertEquals(Object.getOwnPropertyNames(shown).sort(), names);
  assertEquals(Object.getOwnPropertySymbols(shown), []);
  assertEquals(Object.getPrototypeOf(shown), null);
});

Deno.test("javascriptForPython() throws in the place of what leads out, and says what to use instead", () => {
  const shown = javascriptForPython();
  const errors = {
    eval: /^js\.eval is not available in this sandbox$/,
    fetch: /^js\.fetch is not available .*: use pyodide\.http\.pyfetch, /,
    Request: /^js\.Request is not available .*: use pyodide\.http\.pyfetch, /,
    XMLHttpRequest: /^js\.XMLHttpRequest is not available .*: use pyodide/,
  };
  for (const [name, message] of Object.entries(errors)) {
    const door: unknown = Reflect.get(shown, name);
    assert(typeof door === "function");
    assert(door !== Reflect.get(globalThis, name), name);
    assertThrows(() => Reflect.apply(door, undefined, ["1"]), { message });
    assertThrows(() => Reflect.construct(door, ["1"]), { message });
  }
});
