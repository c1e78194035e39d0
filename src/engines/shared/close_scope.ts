// The names of a worker's global scope that stay: a name that a later Deno adds is
// closed until it is written here.

const LANGUAGE = `
  Object Function Array Number Boolean String Symbol Date Promise RegExp BigInt
  Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError
  URIError SuppressedError DisposableStack AsyncDisposableStack Iterator Map Set
  WeakMap WeakSet WeakRef FinalizationRegistry Proxy Reflect JSON Math Intl Atomics
  DataView ArrayBuffer SharedArrayBuffer Uint8Array Int8Array Uint16Array Int16Array
  Uint32Array Int32Array Float16Array Float32Array Float64Array Uint8ClampedArray
  BigUint64Array BigInt64Array globalThis Infinity NaN undefined parseFloat parseInt
  isFinite isNaN eval escape unescape decodeURI decodeURIComponent encodeURI
  encodeURIComponent WebAssembly constructor`;

/**
 * Deletes all names of the global scope but those of the language, and some others.
 *
 * @param more Names with spaces between.
 * @param door The property in the place of the global `Deno`.
 */
export function closeScope(
  more: string,
  door: PropertyDescriptor = { value: undefined },
): void {
  const open = new Set(`${LANGUAGE} ${more}`.trim().split(/\s+/));
  for (
    let scope: object | null = globalThis;
    scope !== null && scope !== EventTarget.prototype;
    scope = Object.getPrototypeOf(scope)
  ) {
    // Symbols stay: Deno recognizes its own objects by them.
    for (const name of Object.getOwnPropertyNames(scope)) {
      if (!open.has(name)) Reflect.deleteProperty(scope, name);
    }
  }
  // Parts of Deno that load late look these up by their bare names: they would use
  // an object of the guest's in the place of Deno's.
  for (const name of ["Deno", "process", "Buffer", "global", "setImmediate"]) {
    Object.defineProperty(
      globalThis,
      name,
      name === "Deno" ? door : { value: undefined },
    );
  }
  for (
    let scope: object | null = Object.getPrototypeOf(globalThis);
    scope !== null;
    scope = Object.getPrototypeOf(scope)
  ) Object.preventExtensions(scope);
}
