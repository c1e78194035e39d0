import { assertEquals } from "../../../deps/assert.ts";
import { PYODIDE } from "./engine.ts";

Deno.test("flags() makes no code from strings, and bounds the heap by half of what Python may take", () => {
  const flags = (heapMiB: number) => [
    `--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=${heapMiB},--no-wasm-deopt,--stack-size=7000,--wasm-stack-switching-stack-size=8192`,
  ];
  assertEquals(PYODIDE.flags(64), flags(512));
  assertEquals(PYODIDE.flags(1024), flags(512));
  assertEquals(PYODIDE.flags(2049), flags(1025));
});
