import { loadPyodide } from "pyodide";
import { assert, assertThrows } from "../../../../deps/assert.ts";
import { stackGuard } from "./memory.ts";

/** How far recursion through C gets, in bytes of Python's C stack. */
const RECURSE = `
import sys
sys.setrecursionlimit(10**9)
lowest = 2**32
class Deep:
    def __eq__(self, other):
        global lowest
        lowest = min(lowest, current())
        return [Deep()] == [Deep()]
Deep() == Deep()
`;

Deno.test("stackGuard() makes a RecursionError of recursion through C, within its bound", async () => {
  const python = await loadPyodide();
  const { _emscripten_stack_get_current: current } = Object(
    Reflect.get(python, "_module"),
  );
  python.globals.set("current", current);
  for (
    const [guard, most] of [
      [stackGuard(python, 32), 32],
      [stackGuard(python), 64],
    ] as const
  ) {
    guard();
    const top = current();
    assertThrows(() => python.runPython(RECURSE), /RecursionError/);
    const used = top - python.globals.get("lowest");
    assert(used > most * 128 && used <= most * 1024, `${used}`);
  }
});
