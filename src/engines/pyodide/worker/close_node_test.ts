import { loadPyodide } from "pyodide";
import { assert, assertEquals, assertThrows } from "../../../../deps/assert.ts";
import { closeNode } from "./js_namespace.ts";

Deno.test("closeNode() takes away what Pyodide imports Node's modules with", async () => {
  const python = await loadPyodide();
  const api = Reflect.get(python, "_api");
  const open = () =>
    ["useNodeSockFS", "mountNodeFS"].filter((name) => name in python);
  // This Pyodide's functions: an absent function needs no wall.
  assertEquals(open(), ["useNodeSockFS", "mountNodeFS"]);
  assert("initializeNodeSockFS" in api);

  closeNode(python);
  assertEquals([open(), "initializeNodeSockFS" in api], [[], false]);
  assert(Object.isFrozen(api.runtimeEnv));
  assertThrows(() => api.runtimeEnv.IN_NODE = true, TypeError);
});
