/**
 * Closes the worker's global scope; imported before any other module.
 *
 * The worker has no permission, so this is the second wall: even code that
 * reaches `globalThis` finds the language itself and little more. A name that a
 * later Deno adds is closed until it is written here.
 *
 * @module
 */
import { mounting } from "./mounting.ts";
import { closeTimers } from "./timers.ts";

/** The first message; it brings the port of all later messages. */
export const firstMessage: Promise<unknown> = new Promise((resolve) =>
  addEventListener("message", (event) => resolve(Reflect.get(event, "data")), {
    once: true,
  })
);

const { permissions } = Deno;

/** Gives up the permission to read a file. */
export function forgetFile(path: string): void {
  permissions.revokeSync({ name: "read", path });
}

/** Pyodide's last words on the console: the cause if the interpreter dies. */
export const lastWords = { text: "" };

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

/** Names of the web that Pyodide needs; none of them reaches outside of the worker. */
const WEB = `
  TextDecoder TextEncoder URL AbortController AbortSignal DOMException Event
  EventTarget setTimeout clearTimeout setInterval clearInterval queueMicrotask
  crypto performance self location WorkerGlobalScope MessageChannel`;

const open = new Set(`${LANGUAGE} ${WEB}`.trim().split(/\s+/));

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
// an object of Python's in the place of Deno's.
for (const name of ["Deno", "process", "Buffer", "global", "setImmediate"]) {
  const door = name === "Deno" ? mounting.door : undefined;
  Object.defineProperty(globalThis, name, door ?? { value: undefined });
}
for (
  let scope: object | null = Object.getPrototypeOf(globalThis);
  scope !== null;
  scope = Object.getPrototypeOf(scope)
) Object.preventExtensions(scope);

/** Timers that anything in this worker has set. */
export const timers = closeTimers();

// A stack names files of this machine.
Object.defineProperty(Error, "stackTraceLimit", {
  configurable: false,
  get: () => 0,
  set() {},
});

function remember(...words: unknown[]): void {
  lastWords.text = words.map(String).join(" ").slice(0, 2000);
}
const methods = ["log", "info", "debug", "warn", "error"];
const console = Object.fromEntries(methods.map((name) => [name, remember]));
Reflect.set(globalThis, "console", console);
