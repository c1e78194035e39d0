import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { javascriptForPython } from "./js_namespace.ts";

/** All that `import js` shows; the last line is what is not JavaScript's own. */
const NAMES = `
  AbortController AbortSignal Array ArrayBuffer BigInt Boolean DataView Date Error Float32Array Float64Array
  Int16Array Int32Array Int8Array JSON Map Math Number Object Promise RangeError RegExp Set String Symbol
  TypeError Uint16Array Uint32Array Uint8Array WeakMap WeakRef WeakSet
  clearInterval clearTimeout setInterval setTimeout
  Request XMLHttpRequest eval fetch`;

Deno.test("javascriptForPython() shows a list of names, behind which is nothing", () => {
  const shown = javascriptForPython();
  const names = NAMES.trim().split(/\s+/).sort();
  assertEquals(Object.getOwnPropertyNames(shown).sort(), names);
  assertEquals(Object.getOwnPropertySymbols(shown), []);
  assertEquals(Object.getPrototypeOf(shown), null);
});

Deno.test("javascriptForPython() shows closed doors in the place of eval, XMLHttpRequest and fetch", () => {
  const shown = javascriptForPython();
  for (const name of ["eval", "XMLHttpRequest"]) {
    const door: unknown = Reflect.get(shown, name);
    assert(typeof door === "function");
    assertThrows(
      () => Reflect.apply(door, undefined, ["1"]),
      RegExp(`js\\.${name} is not available in this sandbox`),
    );
  }
  for (const name of ["eval", "fetch", "Request"]) {
    assert(Reflect.get(shown, name) !== Reflect.get(globalThis, name), name);
  }
});

Deno.test("javascriptForPython() shows a Request that cannot be changed", () => {
  const { Request } = Object(javascriptForPython());
  assert(Object.isFrozen(Request));
  assert(Object.isFrozen(Request.prototype));
});
