/**
 * Closes the worker's global scope; imported before any other module but those that
 * take Deno's functions for files.
 *
 * The worker has the permissions of its component's policy and no other, so this is the
 * second wall.
 *
 * @module
 */
import { closeScope } from "../../engines/shared/close_scope.ts";
import { systemAtWork } from "../../engines/shared/mount_fs.ts";

/** The first message; it brings the port of all later messages. */
export const firstMessage: Promise<unknown> = new Promise((resolve) =>
  addEventListener("message", (event) => resolve(Reflect.get(event, "data")), {
    once: true,
  })
);

const { permissions } = Deno;

/** Gives up a permission for a path. */
export function forgetPath(name: "read" | "write", path: string): void {
  permissions.revokeSync({ name, path });
}

/** That of Deno; the permissions of the worker count. */
export const nativeFetch: typeof fetch = fetch;
export const byIpv4: Deno.HttpClient = Deno.createHttpClient({
  localAddress: "0.0.0.0",
});

/** Names of the web that WASI for browsers needs. */
const WEB = `
  TextDecoder TextEncoder URL URLSearchParams AbortController AbortSignal
  DOMException Event EventTarget setTimeout clearTimeout queueMicrotask crypto
  performance self location WorkerGlobalScope ReadableStream WritableStream
  TransformStream ReadableStreamDefaultReader Headers Response`;

closeScope(WEB, { get: systemAtWork });
// The WASI of browsers reads these.
Reflect.set(globalThis, "console", {
  ...{ log() {}, debug() {}, info() {}, warn() {}, error() {}, trace() {} },
});
