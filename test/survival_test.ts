/**
 * What a session survives: time limits while it waits, and code that takes all memory.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

interface Kind {
  options: string[];
  /** Programs of its packages that take all memory. */
  more: { "in an array"?: string };
}

/** A test on each Pyodide, as these differ in how they wait and what they hold. */
function onBoth(name: string, fn: (kind: Kind) => Promise<void>): void {
  const options = ["--memory", "128"];
  Deno.test(`survival: ${name}`, () => fn({ options, more: {} }));
  Deno.test({
    name: `survival: ${name} (Pyodide 0.27)`,
    ignore: FOLDER_027 === "",
    fn: () =>
      fn({ options: [...PACKAGES_027, "--memory", "400"], more: OF_PACKAGES }),
  });
}

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

onBoth("a time limit, however code waits", async ({ options }) => {
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
});

/** Code that takes all memory, and what it leaves to free. */
const BOMBS = {
  "at once": "[0] * 10**9",
  "in a variable": "while True: hoard.append(bytearray(100_000))",
  "in small objects": "while True: hoard.append([0] * 5000)",
  "in a function": `
def fill():
    local = {}
    while True: local[len(local)] = 'x' * 1000
fill()`,
  "far down": `
def fill(n):
    local = bytearray(1 << 18)
    return fill(n + 1) + 1
import sys; sys.setrecursionlimit(10_000)
fill(0)`,
  "in a cycle": `
class Node: pass
def fill():
    node = Node()
    node.me = node
    node.last = node
    while True:
        last, node = node, Node()
        node.last, node.data = last, bytearray(10_000)
fill()`,
  "in a text": "text = 'x'\nwhile True: text += text",
  "in an import": `
open('filling.py', 'w').write('filled = []\\nwhile True: filled.append(bytearray(100_000))')
import filling`,
  "in a library": "import json\njson.loads('[' + '[1, 2],' * 10**7 + '1]')",
  "in a task": `
import asyncio
async def fill():
    local = []
    while True: local.append(bytearray(10_000))
await asyncio.create_task(fill())`,
  "in a class's own error": `
class Full(MemoryError): pass
while True:
    try: hoard.append(bytearray(100_000))
    except MemoryError: raise Full`,
};

const OF_PACKAGES = {
  "in an array": "import numpy as np\nnp.zeros(10**8)",
  "in arrays": "import numpy as np\nwhile True: hoard.append(np.ones(100_000))",
  "in frames": `
import pandas as pd
frame = pd.DataFrame({"a": range(100_000), "b": ["x"] * 100_000})
while True: frame = pd.concat([frame, frame])`,
};

const PICTURE =
  "display(type('P', (), {'_repr_svg_': lambda self: '<svg/>'})())\nkept";

onBoth("code that takes all memory", async ({ options, more }) => {
  await using server = await startServer(options);
  const { structured } = await server.call("kept = 1", { session: "new" });
  const run = (code: string) =>
    server.call(code, { session: structured.session });
  for (const [what, code] of Object.entries({ ...BOMBS, ...more })) {
    await run("hoard = []; text = frame = None");
    const { status, error } = await run(code);
    assertEquals(status, "memory-limit", what);
    assertMatch(String(error), /The session goes on/, `${what}: ${error}`);
    const { text, returnValue, structured } = await run(PICTURE);
    assertEquals([returnValue, structured.resumed], [1, undefined], text);
    assertEquals(Object(structured.images).length, 1, `${what}: ${text}`);
  }
  if ("in an array" in more) {
    const { error } = await run(more["in an array"]);
    assertMatch(String(error), /out of memory \(Unable to allocate 763\. MiB/);
  }
  await run("hoard = text = frame = None");
  const { returnValue, text } = await run("len(bytearray(20 << 20))");
  assertEquals(returnValue, 20 << 20, text);
});

onBoth("memory that its tasks have taken", async ({ options }) => {
  await using server = await startServer(options);
  // The last bytes decide whether Python finds room to tell the error.
  const sizes = [8000, 9000, 10_000, 11_000, 12_000];
  const lost: string[] = [];
  for (const size of sizes) {
    for (const code of ["", "await asyncio.sleep(0)"]) {
      const crash = await maybeCrash(server, size, code);
      if (crash !== undefined) lost.push(crash);
    }
  }
  assert(lost.length <= sizes.length, lost.join("\n"));
});

/**
 * Has a task take all memory of a session, in objects of a size.
 *
 * @param first Code of the task; a call waits for one that is slow to begin.
 * @returns The answer of a call, if its interpreter has died.
 */
async function maybeCrash(
  server: TestServer,
  size: number,
  first: string,
): Promise<string | undefined> {
  const { structured: { session } } = await server.call("kept = 1", {
    session: "new",
  });
  const run = (code: string) => server.call(code, { session });
  const wait = first === "" ? "asyncio.sleep(0.1)" : "asyncio.wait([task])";
  const filled = await run(`
import asyncio
async def fill():
    ${first}
    local = []
    while True: local.append(bytearray(${size}))
task = asyncio.create_task(fill())
await ${wait}`);
  if (filled.status === "crashed") return filled.text;
  assertEquals(filled.status, "success", filled.text);
  if (first === "") assertMatch(filled.text, /MemoryError/);
  else {
    const { returnValue, text } = await run("type(task.exception()).__name__");
    assertEquals(returnValue, "MemoryError", text);
  }
  const after = await run(PICTURE);
  assertEquals(after.returnValue, 1, after.text);
  const { returnValue, text } = await run(
    "del task\nimport gc; gc.collect()\nkept",
  );
  assertEquals(returnValue, 1, text);
  await server.client.callTool({
    name: "end_session",
    arguments: { session },
  });
}
