/**
 * Freezes the language before Python's code runs.
 *
 * Python reaches the built-in prototypes through `js`. What it put there would be
 * called by this program's own JavaScript in the worker and by Pyodide's, with
 * what these keep to themselves: memory that later runs share, modules, timers
 * of Deno's. So nothing that is built in can be replaced.
 *
 * @module
 */

/** What stays writable, as Pyodide gives objects that inherit it their own. */
const SHADOWED = ["constructor", "name", "message"];

/** Freezes every class and namespace of the global scope. */
export function freezeLanguage(): void {
  const frozen = new Set<object>();
  const namespaces = [Math, JSON, Reflect, Atomics, Intl, WebAssembly];
  for (const it of namespaces) freezeChain(it, frozen);
  for (const it of nameless()) freezeChain(it, frozen);
  for (const scope of [globalThis, Intl, WebAssembly]) {
    for (const name of Object.getOwnPropertyNames(scope)) {
      const it = Reflect.get(scope, name);
      if (typeof it !== "function") continue;
      freezeChain(it, frozen);
      freezeChain(it.prototype, frozen);
    }
  }
}

/** One of each kind whose class or prototype no name leads to. */
function nameless(): object[] {
  const sequence = function* () {};
  const stream = async function* () {};
  return [
    ...[async () => {}, sequence, sequence(), stream, stream()],
    ...[[].values(), new Map().values(), new Set().values()],
    ...[""[Symbol.iterator](), "".matchAll(/x/g), Iterator.from([])],
  ].map((it) => Object.getPrototypeOf(it));
}

/** Freezes an object and its prototypes. */
function freezeChain(it: object | null | undefined, frozen: Set<object>): void {
  for (; it && !frozen.has(it); it = Object.getPrototypeOf(it)) {
    frozen.add(it);
    const isShadowed = it === Object.prototype || it instanceof Error ||
      it === Error.prototype;
    if (isShadowed) freezeAround(it, SHADOWED);
    else Object.freeze(it);
  }
}

function freezeAround(it: object, open: readonly string[]): void {
  Object.preventExtensions(it);
  for (const key of Reflect.ownKeys(it)) {
    const { writable } = Reflect.getOwnPropertyDescriptor(it, key) ?? {};
    const stays = writable && typeof key === "string" && open.includes(key);
    Object.defineProperty(it, key, {
      configurable: false,
      ...(writable === undefined ? {} : { writable: Boolean(stays) }),
    });
  }
}
