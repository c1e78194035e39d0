/**
 * Saved sessions in real sandbox processes: another process goes on where the first
 * was.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import type { Session } from "../src/server/pool/pool.ts";
import type { RunSetup } from "../src/protocol/run_setup.ts";
import {
  type BareSandbox,
  type SandboxChoice,
  startBareSandbox,
} from "./support/bare_process.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { connect } from "./support/pool_process.ts";
import { REQUEST, SETUP } from "./support/request.ts";

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
  const sizes = { ready: 1, running: 2, waiting: 9 };
  const pool = new LocalPool(spawn, sizes, { setup: SETUP });
  return {
    pool,
    async open(from?: { pieces: Uint8Array[]; fork: boolean }) {
      const session = await pool.open(from ? { from } : {});
      assert("close" in session, JSON.stringify(session));
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

async function save(session: Session): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  const saved = await session.save((piece) => {
    pieces.push(piece);
    return Promise.resolve();
  });
  assert("bytes" in saved, JSON.stringify(saved));
  assertEquals(
    saved.bytes,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
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

onEachPyodide("another process goes on with a saved session", async (args) => {
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
});

onEachPyodide(
  "a saved session has the output of the time between its runs",
  async (args) => {
    await using pool = openPool({ args });
    const first = await pool.open();
    await valueOf(first, "import asyncio\nasync def step(): print('kept')");
    while (true) {
      await valueOf(first, "task = asyncio.create_task(step())\nNone");
      const pieces: Uint8Array[] = [];
      const saved = await first.save((piece) => {
        pieces.push(piece);
        return Promise.resolve();
      });
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
    "open('/lib/outside', 'w').close()",
    /files outside of \/workspace, \/tmp and \/home .*: \/lib\/outside/,
    "os.remove('/lib/outside')",
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
