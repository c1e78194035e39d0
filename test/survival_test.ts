/**
 * What a session survives: time limits while it waits, and memory that is full.
 *
 * @module
 */
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { alwaysOnEachPyodide } from "./support/each_pyodide.ts";
import { shareServer } from "./support/shared_server.ts";

/** Ways to wait that code cannot leave by itself. */
const WAITS = {
  "a sleep": "import time\ntime.sleep(1000)",
  "a sleep in a task":
    "import asyncio, time\nasync def wait(): time.sleep(1000)\nawait asyncio.gather(wait(), wait())",
  "a sleep below C":
    "import time\nsorted([1, 2], key=lambda _: time.sleep(1000))",
  "asyncio's sleep": "import asyncio\nawait asyncio.sleep(1000)",
  "an event": "import threading\nthreading.Event().wait(1000)",
};

alwaysOnEachPyodide(
  "survival: a session goes on after a time limit, however its code waits",
  async (options) => {
    const server = await shareServer(options);
    const { structured } = await server.call("kept = 1", { session: "new" });
    const session = String(structured.session);
    for (const [what, code] of Object.entries(WAITS)) {
      const { status, error } = await server.call(code, {
        ...{ session, timeout: 0.3 },
      });
      assertEquals(status, "timeout", what);
      assertMatch(String(error), /The session goes on/, what);
      const { status: next } = await server.call("kept", { session });
      assertEquals(next, "success", what);
    }
  },
);
