/**
 * Prepares the worker that translates components; imported before jco, which looks at
 * once whether it runs in Node, and fetches its own WebAssembly.
 *
 * @module
 */
import { closeScope } from "../engines/shared/close_scope.ts";

/** The first message. */
export const firstMessage: Promise<TranslateOrder> = new Promise((resolve) =>
  addEventListener("message", (event) => resolve(Reflect.get(event, "data")), {
    once: true,
  })
);

export interface TranslateOrder {
  /** Without custom sections. */
  component: Uint8Array<ArrayBuffer>;
  /** Names of functions that may wait; undefined if none may. */
  waiting: { imports: string[]; exports: string[] } | undefined;
  /** WebAssembly of jco. */
  cores: WebAssembly.Module[];
}

export type Translated =
  | { files: [name: string, bytes: Uint8Array<ArrayBuffer>][] }
  | { error: string };

/** Gives the answer to the process. */
export const reply: (message: Translated) => void = Reflect.get(
  globalThis,
  "postMessage",
).bind(globalThis);

const WEB = `
  TextDecoder TextEncoder URL Event EventTarget atob queueMicrotask setTimeout
  self location WorkerGlobalScope crypto performance AbortController DOMException
  ReadableStream WritableStream TransformStream Headers Response`;

closeScope(WEB);
Reflect.set(globalThis, "fetch", async (url: URL) => {
  const { cores } = await firstMessage;
  return cores[/core2\.wasm$/.test(`${url}`) ? 1 : 0];
});
// Its `fetch` has given a module.
Reflect.set(WebAssembly, "compileStreaming", (module: unknown) => module);
