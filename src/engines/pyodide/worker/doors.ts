/**
 * Closes the worker's global scope; imported before any other module.
 *
 * The worker has no permission, so this is the second wall: even code that
 * reaches `globalThis` finds the language itself and little more.
 *
 * @module
 */
import { closeScope } from "../../shared/close_scope.ts";
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

/** Names of the web that Pyodide needs; none of them reaches outside of the worker. */
const WEB = `
  TextDecoder TextEncoder URL AbortController AbortSignal DOMException Event
  EventTarget setTimeout clearTimeout setInterval clearInterval queueMicrotask
  crypto performance self location WorkerGlobalScope MessageChannel`;

closeScope(WEB, mounting.door);

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
