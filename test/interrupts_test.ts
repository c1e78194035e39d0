/**
 * Ctrl-C at the moments at which Python could lose it, or die of it.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import { CLOSED_SETUP } from "../src/protocol/run_setup.ts";
import { readFiles, runCode } from "./support/interpreter.ts";

const SHELL = { argv: [""], isPrompt: true, maxValue: null, isTerminal: true };

const MOMENTS = {
  // Pyodide asks the awaitable for its class.
  "while Python hands an awaitable to JavaScript": `import asyncio, time
from pyodide.ffi import run_sync
until = time.monotonic() + 0.5
class Slow(asyncio.Task):
    @property
    def __class__(self):
        print("now")
        while time.monotonic() < until: pass
        return asyncio.Task
run_sync(Slow(asyncio.sleep(1000)))`,
  // Its frame is like the one of the event loop that calls a task.
  "beside a task that the event loop calls": `import asyncio, time
from mcp_runner import shell
task = asyncio.ensure_future(asyncio.sleep(1000))
class Handle:
    _callback = task.cancel
def call():
    h = Handle
    shell._on_interrupted_callback()
handle = asyncio.get_running_loop().call_soon(call)
time.sleep(1000)`,
};

for (const [moment, code] of Object.entries(MOMENTS)) {
  Deno.test(`interrupts: Ctrl-C ends code alone, also ${moment}`, async () => {
    const options = { setup: { ...CLOSED_SETUP, shell: SHELL } };
    const interpreter = await startInterpreter(await readFiles(), options);
    try {
      let isTold = false;
      const interrupted = await runCode(interpreter, code, () => {
        if (!isTold) interpreter.interrupt();
        isTold = true;
        return Promise.resolve();
      });
      assertEquals(Reflect.get(interrupted, "exitCode"), 130);
      const next = await runCode(interpreter, "import time; time.sleep(0)");
      assertEquals(next.status, "success");
    } finally {
      await interpreter.end();
    }
  });
}
