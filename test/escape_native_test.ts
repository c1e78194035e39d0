/**
 * Ways out through C and WebAssembly: Python writes anywhere in its own memory
 * and calls any function there. That ends its own run at worst.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { someOf } from "./support/rounds.ts";
import { startServer } from "./support/server.ts";

/** What is tried, and how such a run may end. */
const ATTACKS: Record<string, [code: string, ending: RegExp]> = {
  "reading at address 0": [
    "import ctypes; ctypes.string_at(0)",
    /^(success|crashed)$/,
  ],
  "reading beyond the memory": [
    "import ctypes; ctypes.string_at(0xfffffff0, 8)",
    /^(crashed|run-error)$/,
  ],
  "overwriting all memory": [
    "import ctypes; ctypes.memset(0, 0xff, 50_000_000)",
    /^crashed$/,
  ],
  "overwriting an object's type": [
    "import ctypes\nx = [1]\nctypes.c_uint32.from_address(id(x) + 4).value = 7\nx.append(1)",
    /^(crashed|run-error)$/,
  ],
  "calling functions that are none": [
    "import ctypes\nfor index in (0, 5, 10**8): ctypes.CFUNCTYPE(ctypes.c_int)(index)()",
    /^(crashed|run-error)$/,
  ],
  "calling places of the table that are empty": [
    `
import ctypes, pyodide_js
table = pyodide_js._module.wasmTable
for index in range(1, table.length):
    if not hasattr(table.get(index), "call"): ctypes.CFUNCTYPE(ctypes.c_int)(index)()
ctypes.CDLL(None).glClear(1)`,
    /^(crashed|run-error)$/,
  ],
  "calling functions with other types": [
    "import ctypes\nfor index in range(1, 200): ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(index)(1.0)",
    /^(crashed|run-error|timeout)$/,
  ],
  "JavaScript from C": [
    "import ctypes; ctypes.CDLL(None).emscripten_run_script(b'globalThis.x = 1')",
    /^(crashed|run-error)$/,
  ],
  "JavaScript that C has compiled in": [
    "import ctypes; ctypes.CDLL(None).emscripten_asm_const_int(b'return 1', b'', 0)",
    /^(crashed|run-error)$/,
  ],
  "a shell": [
    "import ctypes\nassert ctypes.CDLL(None).system(b'true') != 0",
    /^(success|run-error|crashed)$/,
  ],
  "_exit": ["import os; os._exit(3)", /^crashed$/],
  "abort": ["import os; os.abort()", /^crashed$/],
  "a signal of its own": [
    "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
    /^(success|run-error|crashed)$/,
  ],
  "a segmentation fault": [
    "import faulthandler; faulthandler._sigsegv()",
    /^(crashed|run-error)$/,
  ],
  "recursion through C callbacks": [
    `
import ctypes
F = ctypes.CFUNCTYPE(ctypes.c_int)
def f(): return g()
g = F(f)
g()`,
    /^(success|crashed|run-error)$/,
  ],
  "a library that is none": [
    `
import pyodide_js, js
open("/tmp/x.so", "wb").write(b"\\0asm\\1\\0\\0\\0" + b"\\xff" * 100)
pyodide_js._module.loadDynamicLibrary("/tmp/x.so", js.Object.fromEntries([["global", True]]))`,
    /^(run-error|crashed)$/,
  ],
  // Its one function is the instruction memory.grow, by 1 GiB.
  "a library that grows the memory by itself": [
    `
import ctypes, js, pyodide_js
parts = ["0061736d01000000", "000f08", b"dylink.0".hex(), "010400000000", "0105016000017f", "020f0103656e76066d656d6f7279020000", "03020100", "07080104", b"grow".hex(), "0000", "0a0a0108004180800140000b"]
open("/tmp/g.so", "wb").write(bytes.fromhex("".join(parts)))
options = js.Object.fromEntries([[name, True] for name in ("global", "allowUndefined", "nodelete")])
pyodide_js._module.loadDynamicLibrary("/tmp/g.so", options, js.Object.new())
library = ctypes.CDLL("/tmp/g.so")
library.grow()
hoard = []
while True: hoard.append(b"x" * 10_000_000)`,
    /^(memory-limit|crashed|run-error)$/,
  ],
  "handlers of signals": [
    "import signal\nsignal.signal(signal.SIGINT, lambda *_: None)\nwhile True: pass",
    /^timeout$/,
  ],
  "handlers of exceptions": [
    `
import sys
class Evil(BaseException):
    def __str__(self): raise Evil
    __repr__ = __str__
sys.unraisablehook = sys.excepthook = lambda *_: Evil().args[9]
raise Evil`,
    /^run-error$/,
  ],
  "tracing of our own code": [
    `
import sys
def trace(frame, *_):
    if "mcp_runner" in frame.f_code.co_filename:
        frame.f_locals["value"] = 1
        raise SystemExit(0)
    return trace
sys.settrace(trace)
sys.setprofile(trace)
def f(): return 1
f()`,
    /^(success|run-error|crashed)$/,
  ],
  "collection, finalizers and exits": [
    `
import atexit, gc, sys, weakref
class Late:
    def __del__(self):
        print("late")
        raise SystemExit
one = Late()
one.self = one
weakref.finalize(one, print, "finalized")
atexit.register(print, "exit")
gc.callbacks.append(lambda *_: 1 / 0)
gc.set_threshold(1)
[[] for _ in range(1000)]
atexit._run_exitfuncs()
sys.exit(0)`,
    /^(success|run-error)$/,
  ],
  "an async generator that does not end": [
    `
async def endless():
    try:
        while True: yield 1
    finally:
        while True: pass
it = endless()
await it.__anext__()`,
    /^(success|timeout)$/,
  ],
  "a thread": [
    "import _thread; _thread.start_new_thread(print, ())",
    /^run-error$/,
  ],
  "memory that no cap of Python's counts": [
    `
import js
hoard = []
while True:
    hoard.append(js.ArrayBuffer.new(1 << 26))
    js.Uint8Array.new(hoard[-1]).fill(1)`,
    /^(memory-limit|crashed|run-error)$/,
  ],
};

/** Of each way into memory, into C, and out of the process. */
const FEW = [
  ...["overwriting all memory", "calling functions with other types"],
  ...["JavaScript from C", "a shell", "_exit", "a segmentation fault"],
  ...["recursion through C callbacks", "a library that is none"],
  ...["handlers of signals", "tracing of our own code"],
  ...["an async generator that does not end", "a thread"],
  "memory that no cap of Python's counts",
];

onEachPyodide(
  "escape: whatever is done to its memory, a run ends alone",
  async (options) => {
    await using server = await startServer([...options, "--memory", "256"]);
    for (const [name, [code, ending]] of someOf(ATTACKS, FEW)) {
      // Only what hangs meets its time limit, however slow the machine.
      const timeout = ending.source.includes("timeout") ? 1 : 60;
      const { status, text } = await server.call(code, { timeout });
      assertMatch(status, ending, `${name}: ${text.slice(0, 1000)}`);
      const next = await server.call("6 * 7");
      assertEquals([next.returnValue, next.output], [42, []], name);
    }
  },
);
