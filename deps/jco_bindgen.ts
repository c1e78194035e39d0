// Translates WebAssembly components to JavaScript. scripts/build_jco.ts makes it.
// deno-lint-ignore-file no-explicit-any -- the bundle has no types
import * as bundle from "./jco/bindgen.js";

/** Resolves once its own WebAssembly is there, which it fetches. */
export const ready: () => Promise<unknown> = () => (bundle as any).$init;

/** @throws {Error} If the bytes are not those of a component that it knows. */
export const generate: (
  component: Uint8Array,
  options: object,
) => {
  files: [name: string, bytes: Uint8Array<ArrayBuffer>][];
  imports: string[];
} = (bundle as any).generate;
