import { fetchThrough, Request } from "./js_fetch.ts";
import { network } from "./http_exchange.ts";

const LANGUAGE = [
  ..."Object Array Number Boolean String Symbol Date Promise RegExp BigInt"
    .split(" "),
  ..."Error RangeError TypeError Map Set WeakMap WeakSet WeakRef JSON Math"
    .split(" "),
  ..."ArrayBuffer DataView Uint8Array Int8Array Uint16Array Int16Array".split(
    " ",
  ),
  ..."Uint32Array Int32Array Float32Array Float64Array AbortController AbortSignal"
    .split(" "),
  ..."setTimeout clearTimeout setInterval clearInterval".split(" "),
];

const CLOSED = ["eval", "XMLHttpRequest"];

/**
 * What Python's `import js` shows: the language, timers, a `fetch` that goes where
 * the user lets it, and closed doors under the names that Python packages
 * import when they load.
 *
 * It is made by the same list each time, as a memory snapshot refers to its
 * entries by name.
 */
export function javascriptForPython(): object {
  const names: Record<string, unknown> = Object.create(null);
  for (const name of LANGUAGE) names[name] = Reflect.get(globalThis, name);
  for (const name of CLOSED) {
    names[name] = function () {
      throw new Error(`js.${name} is not available in this sandbox`);
    };
  }
  Object.freeze(Request.prototype);
  names.Request = Object.freeze(Request);
  names.fetch = fetchThrough(network);
  return names;
}
