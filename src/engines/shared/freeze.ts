/** Properties that stay writable: Pyodide sets them on objects that inherit them. */
const SHADOWED = ["constructor", "name", "message"];

/**
 * Freezes the language before Python's code runs: all objects that the global
 * scope and the syntax lead to, with each function in them.
 *
 * Python reaches the built-in prototypes through `js`. This program's JavaScript
 * and Pyodide's would call a method that Python put there, with objects that they
 * keep from Python: memory that later runs share, modules, Deno's timers. A
 * function with a `call` of Python's would catch the arguments of `method.call()`.
 */
export function freezeLanguage(): void {
  // No name leads to the class of its segments, and finding it takes 8 ms.
  Reflect.deleteProperty(Intl, "Segmenter");
  const found = new Set<object>(nameless());
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    const it: unknown = Reflect.get(globalThis, name);
    // An instance has a state of its own, and its class may have no name.
    if (typeof it === "function" || NAMESPACES.includes(it)) add(found, it);
    else add(found, Object.getPrototypeOf(Object(it)));
  }
  // The set grows meanwhile.
  for (const it of found) {
    add(found, Object.getPrototypeOf(it));
    for (const key of Reflect.ownKeys(it)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(it, key) ??
        {};
      add(found, value);
      add(found, get);
      add(found, set);
    }
    if (isShadowed(it)) freezeAround(it, SHADOWED);
    else Object.freeze(it);
  }
}

const NAMESPACES: unknown[] = [Math, JSON, Reflect, Atomics, Intl, WebAssembly];

/** The prototypes to which no name leads. */
function nameless(): object[] {
  return [
    ...[async () => {}, function* () {}, async function* () {}],
    ...[[].values(), new Map().values(), new Set().values()],
    ...[""[Symbol.iterator](), "".matchAll(/x/g), [].values().map(Number)],
    Iterator.from({ next: () => ({ done: true, value: 0 }) }),
  ].map((it) => Object.getPrototypeOf(it));
}

function add(found: Set<object>, it: unknown): void {
  if (typeof it === "function" || typeof it === "object" && it !== null) {
    found.add(it);
  }
}

function isShadowed(it: object): boolean {
  return it === Object.prototype || it instanceof Error ||
    it === Error.prototype;
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
