import type { PyodideInterface } from "../../../../deps/pyodide.ts";
import { guardsStack } from "../versions.ts";

/** The bytes of stack that Python may use before it raises `RecursionError`. */
const STACK_BYTES = 64 * 1024;

/**
 * Makes a function that bounds Python's stack below its caller.
 *
 * CPython guards its own stack of 5 MB, but V8's is full long before that when
 * recursion goes through C (`__eq__`, `sorted`, the end of a long chain): the
 * interpreter dies. With stack switching, the bound holds only for the stack on
 * which it was set, so the run itself must set it.
 */
export function stackGuard(python: PyodideInterface): () => void {
  if (!guardsStack(python)) return () => {};
  const module = Reflect.get(python, "_module");
  return () => {
    const top: number = module._emscripten_stack_get_current();
    module._PyUnstable_ThreadState_SetStackProtection(
      module._PyThreadState_Get(),
      top - STACK_BYTES,
      STACK_BYTES,
    );
  };
}
