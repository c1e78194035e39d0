import { assert, assertEquals, assertThrows } from "../../../deps/assert.ts";
import { openForStart } from "./versions.ts";

const found = (name: string): unknown => Reflect.get(globalThis, name);

Deno.test("openForStart() shows importScripts that always fails, and takes it back", () => {
  {
    using _open = openForStart();
    const importScripts = found("importScripts");
    assert(typeof importScripts === "function");
    assertThrows(() => importScripts("data:text/javascript,"), TypeError);
    Reflect.set(globalThis, "_createPyodideModule", () => {});
  }
  assertEquals(found("importScripts"), undefined);
  assertEquals(found("_createPyodideModule"), undefined);
});

Deno.test("openForStart() leaves a copy of plain data, and no more", () => {
  const { structuredClone } = globalThis;
  try {
    using _open = openForStart();
    const copy = found("structuredClone");
    assert(typeof copy === "function");
    assertEquals(copy({ parameters: ["i32"] }), { parameters: ["i32"] });
    assertEquals(copy(new Map([[1, 2]])), {});
  } finally {
    Object.assign(globalThis, { structuredClone });
  }
});
