/**
 * Saved sessions in real sandbox processes: another process goes on where the first
 * was.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import type { Session } from "../src/server/pool/pool.ts";
import { PIECE_BYTES } from "../src/protocol/run_files.ts";
import type { RunSetup } from "../src/protocol/run_setup.ts";
import {
  type BareSandbox,
  type SandboxChoice,
  startBareSandbox,
} from "./support/bare_process.ts";
import {
  alwaysOnEachPyodide,
  FOLDER_027,
  onEachPyodide,
  PACKAGES_027,
} from "./support/each_pyodide.ts";
import { connect } from "./support/pool_process.ts";
import { startWebServer } from "./support/web_server.ts";
import { concat } from "../src/protocol/lines.ts";
import { REQUEST, SETUP } from "./support/request.ts";
import { takeInto } from "./support/pieces.ts";

/** A pool that starts a real sandbox process for each session. */
function openPool(
  { setup = {}, ...choice }: SandboxChoice & { setup?: Partial<RunSetup> } = {},
) {
  const started: Promise<BareSandbox>[] = [];
  const spawn = () => {
    const starting = startBareSandbox(setup, choice);
    started.push(starting);
    return connect(starting);
  };
  const sizes = { ready: 0, running: 4, waiting: 9 };
  const pool = new LocalPool(spawn, sizes, {
    engine: ENGINE.profile,
    setup: SETUP,
  });
  return {
    pool,
    async open(from?: { pieces: Uint8Array<ArrayBuffer>[]; fork: boolean }) {
      const { session, refused } = await pool.open(from ? { from } : {});
      assert(session, JSON.stringify(refused));
      return session;
    },
    async [Symbol.asyncDispose]() {
      pool.close();
      for (const one of await Promise.all(started)) {
        await one[Symbol.asyncDispose]();
      }
    },
  };
}

async function run(session: Session, code: string) {
  return await session.run({ ...REQUEST, code });
}

/** The value of code that must succeed. */
async function valueOf(session: Session, code: string): Promise<unknown> {
  const result = await run(session, code);
  assertEquals(result.status, "success", JSON.stringify(result));
  return "returnValue" in result ? result.returnValue : undefined;
}

async function save(session: Session): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const saved = await session.save(takeInto(pieces));
  assert("bytes" in saved, JSON.stringify(saved));
  assertEquals(
    saved.bytes,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
  // Each is a message of five processes.
  assertEquals(pieces.length, Math.ceil(saved.bytes / PIECE_BYTES));
  return pieces;
}

const MAKE = `
import json, os, tempfile, time
from dataclasses import dataclass
x = 41
def add(n): return n + x
@dataclass
class Point:
    a: int
point = Point(3)
numbers = (n * n for n in range(10)); next(numbers); next(numbers)
os.makedirs("/workspace/deep/er"); os.chdir("/workspace/deep")
open("a.txt", "w").write("hello"); os.chmod("a.txt", 0o600); os.utime("a.txt", (5, 5))
os.symlink("a.txt", "link")
opened = open("/workspace/b.txt", "w+"); opened.write("abcdef"); opened.flush(); opened.seek(3)
copied = os.dup(opened.fileno())
deleted = tempfile.TemporaryFile(); deleted.write(b"gone"); deleted.flush()
started = time.monotonic()
async def count():
    yield 1
    yield 2
counting = count(); await counting.__anext__()
None`;

const LOOK = `
[add(1), str(point), next(numbers), os.getcwd(), open("link").read(), oct(os.stat("a.txt").st_mode), os.stat("a.txt").st_mtime,
    opened.read(), os.lseek(copied, 0, 1), (deleted.seek(0), deleted.read().decode())[1], await counting.__anext__(),
    0 < time.monotonic() - started < 3600, sorted(os.listdir("/workspace"))]`;

const SEEN = [
  ...[42, "Point(a=3)", 4, "/workspace/deep", "hello", "0o100600", 5],
  ...["def", 6, "gone", 2, true, ["b.txt", "deep"]],
];

alwaysOnEachPyodide(
  "another process goes on with a saved session",
  async (args) => {
    await using pool = openPool({ args });
    const first = await pool.open();
    await valueOf(first, MAKE);
    const pieces = await save(first);
    const second = await pool.open({ pieces, fork: false });
    assertEquals(await valueOf(second, LOOK), SEEN);
    // The first session goes on as well.
    assertEquals(await valueOf(first, LOOK), SEEN);
    await first.close();
    await valueOf(
      second,
      "os.remove('a.txt'); os.remove('link'); x = 1; opened.write('!'); None",
    );
    const third = await pool.open({ pieces: await save(second), fork: false });
    const later =
      "opened.flush(); [add(1), next(numbers), os.listdir(), open('/workspace/b.txt').read()]";
    assertEquals(await valueOf(third, later), [2, 9, ["er"], "abcdef!"]);
  },
);

onEachPyodide(
  "a saved session has the output of the time between its runs",
  async (args) => {
    await using pool = openPool({ args });
    const first = await pool.open();
    await valueOf(first, "import asyncio\nasync def step(): print('kept')");
    while (true) {
      await valueOf(first, "task = asyncio.create_task(step())\nNone");
      const pieces: Uint8Array<ArrayBuffer>[] = [];
      const saved = await first.save(takeInto(pieces));
      // The task may have been pending still, or have printed in its run.
      if (!("bytes" in saved)) continue;
      const { output } = await run(first, "None");
      if (output.length === 0) continue;
      assertEquals(output, ["[between runs]", "kept", "[this run]"]);
      const second = await pool.open({ pieces, fork: false });
      assertEquals((await run(second, "None")).output, output);
      assertEquals((await run(second, "None")).output, []);
      break;
    }
  },
);

/** Code after which a session cannot be saved, the reason, and code that makes good for it. */
const OBSTACLES: [obstacle: string, reason: RegExp, remedy: string][] = [
  [
    `
import asyncio
async def wait(): await asyncio.sleep(1000)
task = asyncio.ensure_future(wait()); await asyncio.sleep(0)`,
    /asyncio tasks are pending: 1 \(.*wait/,
    // Its timer is still there, and rings for nothing.
    "task.cancel(); await asyncio.sleep(0.01)",
  ],
  [
    "handle = asyncio.get_event_loop().call_later(1000, print); None",
    /timers are pending: 1/,
    "handle.cancel()",
  ],
  [
    "from js import Object; held = Object.new(); None",
    /Python holds objects of JavaScript's: 1 \(\[object Object\]\)/,
    "del held",
  ],
  [
    "from mcp_runner import host_calls; held = host_calls._ask; None",
    /Python holds objects of JavaScript's/,
    "del held",
  ],
  [
    "import os; ends = os.pipe(); None",
    /a pipe, a socket or a file of a mount is open/,
    "[os.close(end) for end in ends]; None",
  ],
  [
    "import socket; held = socket.socket(); None",
    /a pipe, a socket or a file of a mount is open/,
    "held.close()",
  ],
  [
    "import ctypes; held = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1); None",
    /callbacks of ctypes are alive: 1\. Delete them/,
    "del held",
  ],
  [
    "open('/lib/outside', 'w').close()",
    /files outside of \/workspace, \/tmp and \/home .*: \/lib\/outside/,
    "os.remove('/lib/outside')",
  ],
  [
    "import gc; collect = gc.collect; gc.collect = None",
    /its state cannot be read: [^]*TypeError/,
    "gc.collect = collect",
  ],
];

onEachPyodide(
  "a session that cannot be saved says why, and goes on",
  async (args) => {
    await using pool = openPool({ args });
    const session = await pool.open();
    await valueOf(session, "x = [1]");
    for (const [obstacle, reason, remedy] of OBSTACLES) {
      await valueOf(session, obstacle);
      const saved = await session.save(() =>
        Promise.reject(new Error("piece"))
      );
      assertMatch(JSON.stringify(saved), reason);
      await valueOf(session, remedy);
    }
    const pieces = await save(session);
    const next = await pool.open({ pieces, fork: false });
    assertEquals(await valueOf(next, "x"), [1]);
  },
);

onEachPyodide(
  "a session that computes in the background cannot be saved, and goes on",
  async (args) => {
    await using pool = openPool({ args });
    for (const code of COMPUTING) {
      const session = await pool.open();
      await valueOf(session, code);
      let reasons = "";
      // Its task may not have begun before.
      do {
        const saved = await session.save(() => Promise.resolve());
        reasons = JSON.stringify(saved);
      } while (/tasks are pending/.test(reasons));
      assertMatch(reasons, /"it computes in the background/);
      const request = { ...REQUEST, code: "None", timeoutMs: 500 };
      assertEquals((await session.run(request)).status, "timeout");
      assertEquals(await valueOf(session, "x"), 1);
      // Later saves are not mistaken for those that were given up.
      const pieces = await save(session);
      const next = await pool.open({ pieces, fork: false });
      assertEquals(await valueOf(next, "x"), 1);
      await Promise.all([session.close(), next.close()]);
    }
  },
);

Deno.test("a session that computes once it is saved holds up no save", async () => {
  await using pool = openPool();
  const session = await pool.open();
  const code = `
import os
x = 1
class Endless(dict):
    def update(self, *_):
        while True: pass
os.environ = Endless()
None`;
  await valueOf(session, code);
  const pieces = await save(session);
  assert(pieces.length > 0);
});

const COMPUTING = [
  `
import asyncio
x = 1
async def spin():
    while True: pass
asyncio.create_task(spin())
None`,
  `
import gc
gc.disable()
x = 1
class Endless:
    def __del__(self):
        while True: pass
one = Endless(); one.self = one; del one`,
];

const SECRET = "swordfish-123456";

Deno.test("a checkpoint has no value of a host's variable, and a copy draws other random numbers", async () => {
  const variables = { MRP_SECRET: SECRET, MRP_SHORT: "1" };
  await using pool = openPool({ setup: { variables } });
  const first = await pool.open();
  await valueOf(
    first,
    `
import os, random, uuid
key = os.environ["MRP_SECRET"]
wide, wider = "\\u20ac" + key, "\\U0001f600" + key
held = {key: [key.encode(), key * 3]}
own = random.Random(7)
None`,
  );
  const pieces = await save(first);
  const bytes = concat(pieces);
  for (const text of [SECRET, [...SECRET].join("\0")]) {
    const held = new TextDecoder("latin1").decode(bytes).includes(text);
    assert(!held, `the checkpoint has ${JSON.stringify(text)}`);
  }
  const look =
    "[os.environ['MRP_SECRET'], os.environ['MRP_SHORT'], wide[1:], wider[1:], held[key][0].decode(), held[key][1]]";
  const seen = [SECRET, "1", SECRET, SECRET, SECRET, SECRET.repeat(3)];
  const draw = "[random.random(), uuid.uuid1().hex, own.random()]";
  const copies = [
    await pool.open({ pieces, fork: true }),
    await pool.open({ pieces, fork: true }),
    await pool.open({ pieces, fork: false }),
  ];
  const drawn: unknown[][] = [];
  for (const session of [first, ...copies]) {
    assertEquals(await valueOf(session, look), seen);
    drawn.push(await valueOf(session, draw) as unknown[]);
  }
  const [random, ids, own] = [0, 1, 2].map((at) => drawn.map((one) => one[at]));
  assertEquals(new Set(own).size, 1);
  assertEquals(new Set(ids).size, 4);
  assertEquals(new Set(random).size, 3);
  assertEquals(random?.[0], random?.[3]);

  await valueOf(first, "many = (key * 20_000).encode(); None");
  const refused = await first.save(() => Promise.resolve());
  assertMatch(JSON.stringify(refused), /copies of MRP_SECRET \(--env\)/);

  // A later server may have other values.
  await using later = openPool({
    setup: { variables: { MRP_SECRET: "another-value" } },
  });
  const session = await later.open({ pieces, fork: false });
  assertEquals(
    await valueOf(
      session,
      "[os.environ['MRP_SECRET'], set(key), 'MRP_SHORT' in os.environ]",
    ),
    ["another-value", ["\0"], false],
  );
});

Deno.test("a restored session has the limits, calls and grants of each other", async () => {
  await using web = startWebServer();
  await using pool = openPool({ hosts: [web.host] });
  const first = await pool.open();
  await valueOf(first, "x = [1]; import urllib.request; None");
  const session = await pool.open({ pieces: await save(first), fork: false });
  const stopped = await session.run({
    ...REQUEST,
    code: "x.append(2)\nwhile True: pass",
    timeoutMs: 200,
  });
  assertEquals(stopped.status, "timeout");
  const waited = await session.run({
    ...REQUEST,
    code: "import time; x.append(3); time.sleep(99)",
    timeoutMs: 200,
  });
  assertEquals(waited.status, "timeout");
  const full = "try: bytearray(10**9)\nexcept MemoryError: x.append(4)";
  await valueOf(session, full);
  const files =
    "try: open('/workspace/a', 'wb').write(bytes(2 << 20))\nexcept OSError as error: x.append(error.errno)";
  await valueOf(session, files);
  const deep = "def f(): f()\ntry: f()\nexcept RecursionError: x.append(5)";
  await valueOf(session, deep);
  const shown = await run(
    session,
    "class Picture:\n    def _repr_svg_(self): return '<svg/>'\nprint('o'); display(Picture())",
  );
  assertEquals([shown.output, shown.images?.length], [["o"], 1]);
  const asked = await run(
    session,
    "from mcp_runner import host_calls\nawait host_calls.call('no_such_call', 1)",
  );
  assertMatch(JSON.stringify(asked), /no_such_call/);
  const sent = `urllib.request.urlopen("${web.origin}/text").status`;
  assertEquals(typeof await valueOf(session, sent), "number");
  assertEquals(await valueOf(session, "x"), [1, 2, 3, 4, 51, 5]);
  // It can be saved again.
  const last = await pool.open({ pieces: await save(session), fork: false });
  assertEquals(await valueOf(last, "x"), [1, 2, 3, 4, 51, 5]);
});

Deno.test("a session whose own code runs while it is restored finds all walls in their place", async () => {
  await using pool = openPool();
  const first = await pool.open();
  await valueOf(
    first,
    `
import importlib, js, pyodide_js, sys
seen, real = [], importlib.import_module
def attempt(action):
    try:
        return action()
    except BaseException as error:
        return type(error).__name__
def fill():
    with open("/workspace/full", "wb") as file:
        file.write(bytes(2 << 20))
def hooked(name, package=None):
    if name.startswith("pyodide"):  # JavaScript cannot be called before
        seen.append([
            attempt(lambda: js.Object.isFrozen(js.Array.prototype) and js.Object.isFrozen(js.Map.prototype)),
            attempt(lambda: hasattr(pyodide_js._api, "initializeNodeSockFS")),
            attempt(fill),
        ])
    return real(name, package)
importlib.import_module = hooked
None`,
  );
  const pieces = await save(first);
  const second = await pool.open({ pieces, fork: false });
  const seen = await valueOf(second, "importlib.import_module = real; seen");
  assert(Array.isArray(seen) && seen.length > 0, "no code of the session ran");
  for (const one of seen) assertEquals(one, [true, false, "OSError"]);
});

Deno.test("bytes that no interpreter has saved are refused, and the process serves on", async () => {
  await using pool = openPool();
  const first = await pool.open();
  await valueOf(first, "x = 1");
  const bytes = concat(await save(first));
  const text = (from: string, to: string) => {
    const changed = bytes.slice();
    const at = new TextDecoder("latin1").decode(bytes.subarray(0, 1 << 20))
      .indexOf(from);
    assert(at > 0, from);
    changed.set(new TextEncoder().encode(to), at);
    return changed;
  };
  const hostile: [bytes: Uint8Array<ArrayBuffer>, reason: RegExp][] = [
    [new Uint8Array(10), /not of this program/],
    [bytes.subarray(0, -1), /another length/],
    [text('"v8":"1', '"v8":"0'), /another version of V8/],
    [text('"cwd":"/wor', '"cwd":"/../'), /path that is not normal/],
  ];
  for (const [changed, reason] of hostile) {
    const pieces = toPieces(changed);
    const result = await pool.pool.open({ from: { pieces, fork: false } });
    assertMatch(JSON.stringify(result), /crashed.*Cannot restore the session/);
    assertMatch(JSON.stringify(result), reason);
  }
  const next = await pool.open({ pieces: toPieces(bytes), fork: false });
  assertEquals(await valueOf(next, "x"), 1);
});

Deno.test("a session that holds much is restored, and its freed memory is not saved", async () => {
  await using pool = openPool({ memoryMiB: 512 });
  const first = await pool.open();
  const hash = await valueOf(
    first,
    "import random; kept = random.randbytes(60 << 20); hash(kept)",
  );
  const pieces = await save(first);
  // Making it took twice as much beside it.
  assert(concat(pieces).length < 1.5 * (60 << 20));
  const session = await pool.open({ pieces, fork: false });
  assertEquals(await valueOf(session, "hash(kept)"), hash);
});

function toPieces(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer>[] {
  const most = 1 << 20;
  return Array.from(
    { length: Math.ceil(bytes.length / most) },
    (_, at) => bytes.subarray(at * most, (at + 1) * most),
  );
}

Deno.test({
  name:
    "arrays, frames and figures are saved with their libraries (Pyodide 0.27)",
  ignore: FOLDER_027 === "",
  async fn() {
    await using pool = openPool({ args: PACKAGES_027, memoryMiB: 512 });
    const first = await pool.open();
    await valueOf(
      first,
      `
import numpy as np, pandas as pd, sqlite3
import matplotlib.pyplot as plt
array = np.arange(1_000_000); part = array[5:10]
frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}, index=pd.date_range("2026-01-01", periods=2))
db = sqlite3.connect(":memory:"); frame.to_sql("t", db)
drawn = np.random.default_rng(3); drawn.random()
None`,
    );
    const session = await pool.open({ pieces: await save(first), fork: false });
    const look =
      "array[0] = 7; [int(array.sum()), part.tolist(), frame.b.tolist(), str(frame.index[1].date()), db.execute('select a from t').fetchall(), round(drawn.random(), 6)]";
    const seen = await valueOf(first, look);
    assertEquals(await valueOf(session, look), seen);
    const plotted = await run(session, "plt.plot([1, 2]); plt.show()");
    assertEquals([plotted.status, plotted.images?.length], ["success", 1]);
  },
});
