/**
 * Rewinding an interpreter: what runs leave is gone, or the interpreter is made anew.
 *
 * @module
 */
import { assert, assertEquals, assertNotEquals } from "../deps/assert.ts";
import type { Interpreter } from "../src/engines/engine.ts";
import type { AnewCause } from "../src/protocol/rewinding.ts";
import type { RunRequest } from "../src/protocol/run_messages.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import { fields } from "../src/protocol/fields.ts";
import { decodePacket } from "../src/protocol/packets.ts";
import {
  type BareSandbox,
  startBareSandbox,
  withoutToken,
} from "./support/bare_process.ts";
import { FOLDER_027, PACKAGES_027 } from "./support/each_pyodide.ts";
import { tempFolder } from "./support/folder.ts";
import { HAS_PROC } from "./support/proc.ts";
import { networkOf, readFiles, runCode } from "./support/interpreter.ts";
import { openRealm } from "./support/rewinding/realm.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const files = await readFiles();
const ROUNDS = ALL_ROUNDS ? 20_000 : 200;

/** All that a run can see of the state that runs before it may leave. */
const INVENTORY = `
import builtins, codecs, contextvars, copyreg, decimal, gc, locale, logging, os, re, signal, sys, threading, warnings
def listing():
    seen = []
    for root in ("/workspace", "/tmp", "/home", "/dev", "/etc", "/usr"):
        for folder, folders, files in os.walk(root):
            for name in sorted(folders + files):
                path = os.path.join(folder, name)
                seen.append([path, os.lstat(path).st_size if name in files else 0])
    return seen
def opened():
    found = []
    for fd in range(64):
        try:
            at = os.fstat(fd)
            found.append([fd, at.st_ino, at.st_mode])
        except OSError:
            pass
    return found
def kinds():
    counts = {}
    for it in gc.get_objects():
        name = f"{type(it).__module__}.{type(it).__qualname__}"
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items())
print("seen")
open("/tmp/inode", "w").close()
inode = os.stat("/tmp/inode").st_ino
os.unlink("/tmp/inode")
[
    sorted(sys.modules), sorted(vars(builtins)), sorted(map(str, vars(sys))), sorted(globals()),
    listing(), opened(), inode, os.getcwd(), sorted(os.environ.items()),
    [str(signal.getsignal(number)) for number in range(1, 32)],
    [str(one) for one in warnings.filters], str(decimal.getcontext()), locale.setlocale(locale.LC_ALL),
    [sys.getrecursionlimit(), sys.getswitchinterval(), sys.gettrace(), sys.getprofile(), sys.path, sys.argv, sys.flags.utf8_mode],
    [str(sys.displayhook), str(sys.excepthook), str(sys.stdout), sys.stdout.errors, sys.dont_write_bytecode],
    [logging.root.level, len(logging.root.handlers), len(logging.Logger.manager.loggerDict), logging._startTime > 0],
    [threading.active_count(), len(contextvars.copy_context()), gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), len(copyreg.dispatch_table)],
    len(object.__subclasses__()), re.purge(), kinds(),
]
`;

/** Code that leaves a trace in Python, or in its files. */
const TRACES: Record<string, string> = {
  "a name": "trace = 1",
  "modules": "import sqlite3, unittest, xml.dom.minidom, turtle_missing"
    .replace(", turtle_missing", ""),
  "a patched builtin": "import builtins\nbuiltins.len = lambda it: 7",
  "a patched module": "import json, os\njson.dumps = os.getcwd = None",
  "our own code":
    "import mcp_runner.runner as r, sys\nr._outcome = r.renew = lambda *a: 1\nsys.modules.clear()",
  "functions of the host":
    "import mcp_runner.runner as r, asyncio\nr.guard_stack = r.begin_output = None\nfor at in range(99): asyncio.get_running_loop().call_soon(int)\nawait asyncio.sleep(0.001)",
  "settings of sys":
    "import sys\nsys.setrecursionlimit(99)\nsys.setswitchinterval(9)\nsys.path.append('x')\nsys.displayhook = print\nsys.settrace(lambda *a: None)",
  "signal handlers":
    "import signal\nfor n in (2, 10, 15): signal.signal(n, lambda *a: None)",
  "warnings": "import warnings\nwarnings.simplefilter('error')",
  "decimal": "import decimal\ndecimal.getcontext().prec = 5",
  "a locale": "import locale\nlocale.setlocale(locale.LC_ALL, 'C')",
  "codecs": "import codecs\ncodecs.register(lambda name: None)",
  "atexit": "import atexit\natexit.register(print, 'late')",
  "context variables":
    "import contextvars\nkept = contextvars.ContextVar('kept')\nkept.set(1)",
  "weak references and finalizers":
    "import weakref, gc\nclass A:\n  def __del__(self): print('late')\na = A()\na.a = a\nweakref.finalize(a, print, 'late')\ngc.disable()",
  "environment": "import os\nos.environ['TRACE'] = '1'\ndel os.environ['HOME']",
  "the folder": "import os\nos.mkdir('/tmp/here')\nos.chdir('/tmp/here')",
  "files":
    "import os, shutil\nopen('/workspace/a', 'w').write('x' * 5000)\nos.makedirs('/tmp/b/c')\nos.symlink('/tmp', '/home/link')\nshutil.rmtree('/home/web_user', True)\nos.mkdir('/etc')\nopen('/dev/shm/x', 'w').write('x')",
  "an open file": "kept = open('/tmp/kept', 'w+')\nkept.write('x' * 100)",
  "closed streams": "import os\nos.close(0)\nos.close(1)\nos.dup2(2, 1)",
  "another stdout":
    "import sys, io\nsys.stdout = io.StringIO()\nsys.stderr.reconfigure(errors='ignore')",
  "a device": "open('/dev/tty', 'w').write('half')",
  "half a character":
    "import os\nos.write(1, 'é'.encode()[:1])\nos.write(2, '€'.encode()[:2])",
  "a database":
    "import sqlite3\nkept = sqlite3.connect('/tmp/db')\nkept.execute('create table t(a)')",
  "a library's file":
    "import json\nopen(json.__file__, 'w').write('x') if not json.__file__.startswith('/lib/python3') else None",
  "an error with its frames": "def f(a): return 1 / 0\nf('trace')",
  "an exit": "raise SystemExit('trace')",
  "recursion": "def f(n): return f(n + 1)\nf(0)",
  "an open generator":
    "def f():\n  try: yield\n  finally: print('late')\ng = f()\nnext(g)",
  "awaited tasks":
    "import asyncio\nasync def f(i):\n  await asyncio.sleep(0.001)\n  return i\nawait asyncio.gather(*map(f, range(9)))",
  "asyncio.run": "import asyncio\nasyncio.run(asyncio.sleep(0.001))",
  "a sleep": "import time\ntime.sleep(0.001)",
  "a time limit":
    "import asyncio\nasync with asyncio.timeout(99): await asyncio.sleep(0.001)",
  "a task that is left":
    "import asyncio\nasync def f():\n  await asyncio.sleep(99)\n  print('late')\nasyncio.ensure_future(f())\nawait asyncio.sleep(0.001)",
  "a handle that is left":
    "import asyncio\nasyncio.get_running_loop().call_later(0.05, print, 'late')",
  "a callback that calls itself":
    "import pyodide.webloop as w\nfrom pyodide.ffi import create_once_callable\ndef again():\n  print('late')\n  w.scheduleCallback(create_once_callable(again), 0)\nagain()",
  "callbacks that are no more":
    "import pyodide.webloop as w\nfor at in range(9): w.scheduleCallback(print, 50)",
  "interrupts that are held back":
    "import mcp_runner.waiting as w\nw._hold_interrupts(True)",
  "settings of the event loop":
    "import asyncio\nasyncio.get_running_loop().slow_callback_duration = 9",
  "logging":
    "import logging\nlogging.basicConfig(level=0)\nlogging.getLogger('trace')",
  "a thread that cannot start":
    "import threading\ntry: threading.Thread(target=print).start()\nexcept RuntimeError: pass",
  "memory": "kept = bytearray(50 << 20)",
  "numbers and strings":
    "import sys\nkept = [sys.intern(f's{i}') for i in range(10000)]",
  "random numbers": "import random\nrandom.seed(7)\nrandom.random()",
  "subclasses": "class A(dict): pass\nclass B(int): pass\nkept = [A(), B()]",
};

const PACKAGE_TRACES: Record<string, string> = {
  "arrays":
    "import numpy as np\nnp.random.seed(7)\nnp.seterr(all='raise')\nnp.set_printoptions(precision=2)\nkept = np.ones((500, 500)) @ np.ones((500, 500))",
  "frames":
    "import pandas as pd, io\npd.set_option('display.max_rows', 5)\nframe = pd.read_csv(io.StringIO('a,b\\n1,2\\n3,4'))\nframe.merge(frame, on='a').groupby('a').sum().to_csv('/workspace/a.csv')",
  "figures":
    "import matplotlib.pyplot as plt\nplt.rcParams['font.size'] = 30\nplt.plot([1, 2, 3])\nplt.title('trace')\nplt.show()",
  "an error of native code":
    "import numpy as np\nnp.linalg.inv(np.zeros((2, 2)))",
  "a database of its own":
    "import sqlite3\nkept = sqlite3.connect('/tmp/db')\nkept.execute('create table t(a)')",
};

/** Code after which an interpreter is not known to be clean. */
const UNCLEAN: Record<string, [AnewCause, string]> = {
  "a name of JavaScript": ["javascript", "import js\njs.Object"],
  "a name of Pyodide": ["javascript", "import pyodide_js\npyodide_js.version"],
  "an object for JavaScript": [
    "javascript",
    "from pyodide.ffi import to_js\nto_js([1])",
  ],
  "a proxy": [
    "javascript",
    "from pyodide.ffi import create_proxy\nkept = create_proxy(print)",
  ],
  "Pyodide's own timer": [
    "javascript",
    "import mcp_runner.rest as r\nfrom pyodide.ffi import create_once_callable\nr._schedule(create_once_callable(int), 0)",
  ],
  "a pipe": ["javascript", "import os\nos.pipe()"],
  "a socket": ["javascript", "import socket\nsocket.socket()"],
  "a table of addresses": [
    "javascript",
    "import socket\nsocket.gethostbyname('a.example')",
  ],
  "a callback of C": [
    "javascript",
    "import ctypes\nctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)()",
  ],
  "a call of C": [
    "javascript",
    "import ctypes\nctypes.pythonapi.Py_IsInitialized()",
  ],
  "a library": [
    "javascript",
    "import ctypes\ntry: ctypes.CDLL('/tmp/none.so')\nexcept OSError: pass",
  ],
  "a stack that waits": [
    "pending",
    "import asyncio, time\nasync def f(): time.sleep(99)\nasyncio.ensure_future(f())\nawait asyncio.sleep(0.05)",
  ],
  "much memory": ["memory", "kept = bytearray(150 << 20)"],
};

async function startKept(of = files): Promise<Interpreter> {
  const interpreter = await startInterpreter(of);
  await interpreter.keep?.();
  return interpreter;
}

async function seenBy(interpreter: Interpreter, code: string) {
  let printed = "";
  const ending = await runCode(interpreter, code, (text) => {
    printed += text;
    return Promise.resolve();
  });
  return { ending, printed };
}

Deno.test("a rewound interpreter has nothing that a run has left", async () => {
  await assertGone(await startKept(), TRACES);
});

/** With packages of native code, which throws by JavaScript there. */
Deno.test({
  name: "a rewound interpreter has nothing that a run has left (Pyodide 0.27)",
  ignore: !ALL_ROUNDS || FOLDER_027 === "",
  async fn() {
    const deps = PACKAGES_027.slice(PACKAGES_027.indexOf("--offline"));
    const own = await readFiles({ pyodide: FOLDER_027, deps });
    await assertGone(await startKept(own), { ...TRACES, ...PACKAGE_TRACES });
  },
});

/** Fails if an inventory after a trace, rewound, is not that of a fresh interpreter. */
async function assertGone(
  interpreter: Interpreter,
  traces: Record<string, string>,
): Promise<void> {
  const fresh = await seenBy(interpreter, INVENTORY);
  assertEquals(fresh.ending.status, "success", JSON.stringify(fresh.ending));
  for (const [name, code] of Object.entries(traces)) {
    await runCode(interpreter, code);
    const anew = await interpreter.rewind?.();
    assertEquals(anew, undefined, name);
    assertEquals(await seenBy(interpreter, INVENTORY), fresh, name);
    assertEquals(await interpreter.rewind?.(), undefined, name);
  }
  await interpreter.end();
}

Deno.test("an interpreter that is not known to be clean is not rewound", async () => {
  for (const [name, [cause, code]] of Object.entries(UNCLEAN)) {
    const interpreter = await startKept();
    const ending = await runCode(interpreter, code);
    assertEquals(ending.status, "success", JSON.stringify(ending));
    assertEquals((await interpreter.rewind?.())?.cause, cause, name);
    await interpreter.end();
  }
});

Deno.test("requests and notifications leave nothing", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("x".repeat(9999)),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const interpreter = await startInterpreter(files, networkOf([host]));
  await interpreter.keep?.();
  const fresh = await seenBy(interpreter, INVENTORY);
  for (
    const code of [
      `import urllib.request\nlen(urllib.request.urlopen("http://${host}").read())`,
      `import urllib.request\nkept = urllib.request.urlopen("http://${host}")\nkept.read(5)`,
      `import urllib.request\nlen(urllib.request.urlopen("http://${host}", data=bytes(range(256))).read())`,
      "notify_progress('at work', 1, 2)\ndisplay({'a': 1})",
    ]
  ) {
    const ending = await runCode(interpreter, code);
    assertEquals(ending.status, "success", JSON.stringify(ending));
    assertEquals(await interpreter.rewind?.(), undefined, code);
    assertEquals(await seenBy(interpreter, INVENTORY), fresh, code);
    await interpreter.rewind?.();
  }
  await interpreter.end();
});

Deno.test("calls of the host leave nothing, answered or not", async () => {
  const interpreter = await startKept();
  const fresh = await seenBy(interpreter, INVENTORY);
  const CALL = "import asyncio, mcp_runner.host_calls as host\n";
  for (
    const code of [
      `${CALL}[await host.call("echo", {}), host.call_sync("echo", {})]`,
      `${CALL}await asyncio.gather(*[host.call("echo", {}) for _ in range(9)])`,
      `${CALL}kept = asyncio.ensure_future(host.call("never", {}))\nawait asyncio.sleep(0.001)`,
    ]
  ) {
    const request = { code, globals: "{}", timeoutMs: Infinity };
    const ending = await interpreter.run({ request }, (message) => {
      if (message.type === "ask" && message.name === "echo") {
        const answer = JSON.stringify({ value: 7 });
        interpreter.answer({ type: "answer", id: message.id, answer });
      }
      return Promise.resolve();
    });
    assertEquals(ending.status, "success", JSON.stringify(ending));
    assertEquals(await interpreter.rewind?.(), undefined, code);
    assertEquals(await seenBy(interpreter, INVENTORY), fresh, code);
    await interpreter.rewind?.();
  }
  await interpreter.end();
});

Deno.test("an interpreter that has run is not kept", async () => {
  const interpreter = await startInterpreter(files);
  await runCode(interpreter, "trace = 1");
  await interpreter.keep?.();
  assertEquals((await interpreter.rewind?.())?.cause, "not-kept");
  await interpreter.end();
});

Deno.test("files that a run has sent are not told as removed to the next", async () => {
  const interpreter = await startKept();
  const typesOf = async (code: string) => {
    const types: string[] = [];
    const request = { code, globals: "{}", timeoutMs: Infinity };
    await interpreter.run({ request, wantsFiles: true }, (message) => {
      types.push(message.type);
      return Promise.resolve();
    });
    await interpreter.rewind?.();
    return types;
  };
  const WRITE = "open('a', 'w').write('a')";
  assertEquals(await typesOf(WRITE), ["file"]);
  assertEquals(await typesOf("1"), []);
  assertEquals(await typesOf(WRITE), ["file"]);
  await interpreter.end();
});

Deno.test("a file of a mount that a run has left open is closed", async () => {
  await using folder = await tempFolder();
  const mount = { host: folder.path, guest: "/data", isWritable: true };
  const own = { ...files, mounts: [mount] };
  const interpreter = await startInterpreter(own);
  await interpreter.keep?.();
  const open = () => [...Deno.readDirSync("/proc/self/fd")].length;
  const before = HAS_PROC ? open() : 0;
  for (let round = 0; round < 3; round++) {
    const code = "kept = [open(f'/data/{at}', 'w') for at in range(20)]";
    await runCode(interpreter, code);
    assertEquals(await interpreter.rewind?.(), undefined);
  }
  if (HAS_PROC) assert(open() < before + 20, `${before} became ${open()}`);
  await interpreter.end();
});

Deno.test("what a run has left never rings in a later run", async () => {
  const interpreter = await startKept();
  const late = `
import asyncio, weakref
class Late:
    def __del__(self): print("late")
async def ring():
    while True:
        await asyncio.sleep(0.001)
        print("late")
loop = asyncio.get_running_loop()
kept = [Late(), asyncio.ensure_future(ring()), loop.call_later(0.02, print, "late")]
for at in range(50): loop.call_soon(print, "late")
`;
  for (let round = 0; round < ROUNDS / 100; round++) {
    await runCode(interpreter, late);
    const anew = await interpreter.rewind?.();
    // A step of the task may be under way.
    if (anew) assertEquals(anew.cause, "pending");
    if (anew) break;
    const seen = await seenBy(
      interpreter,
      "import asyncio, gc\nawait asyncio.sleep(0.05)\ngc.collect()\nlen([1])",
    );
    assertEquals(seen.printed, "");
    assertEquals(seen.ending.status, "success");
    await interpreter.rewind?.();
  }
  await interpreter.end();
});

Deno.test("what a run holds back does not keep an interrupt from the next", async () => {
  const interpreter = await startKept();
  const hold = "import mcp_runner.waiting as w\nw._hold_interrupts(True)";
  await runCode(interpreter, hold);
  assertEquals(await interpreter.rewind?.(), undefined);
  const ending = await interpreter.run(
    { request: { code: LOOP, globals: "{}", timeoutMs: Infinity } },
    () => Promise.resolve(interpreter.interrupt()),
  );
  assertEquals(ending.status, "run-error");
  await interpreter.end();
});
/** Ends by itself if no interrupt comes. */
const LOOP = `print("begun", flush=True)
import time
start = time.monotonic()
while time.monotonic() < start + 20: pass`;

Deno.test("memory that a run has written is not found in a later one", async () => {
  const interpreter = await startKept();
  // The code itself has no mark.
  const MARK = "bytes([77, 65, 82, 75] * 16)";
  for (const mib of [2, 40]) {
    await runCode(interpreter, `kept = ${MARK} * (${mib} << 14)`);
    assertEquals(await interpreter.rewind?.(), undefined);
  }
  const { ending } = await seenBy(
    interpreter,
    `import ctypes
memory = (ctypes.c_char * (60 << 20)).from_address(1024)
memoryview(memory).tobytes().count(${MARK}) < 9`,
  );
  assertEquals(ending, { ...ending, status: "success", value: "true" });
  await interpreter.end();
});

Deno.test("random numbers and clocks of a rewound interpreter are those of a fresh one", async () => {
  const interpreter = await startKept();
  const DRAW =
    "import random, time, uuid, secrets, tempfile\n[time.monotonic(), random.random(), str(uuid.uuid4()), tempfile.mktemp()]";
  const first = await seenBy(interpreter, DRAW);
  await runCode(interpreter, "import time\ntime.sleep(0.2)");
  await interpreter.rewind?.();
  const again = await seenBy(interpreter, DRAW);
  const [before, after] = [first, again].map(({ ending }) =>
    ending.status === "success" ? JSON.parse(ending.value) : []
  );
  for (const at of [1, 2, 3]) assertNotEquals(after[at], before[at]);
  await runCode(interpreter, "import time\ntime.sleep(0.2)");
  await interpreter.rewind?.();
  const { ending } = await seenBy(interpreter, "import time\ntime.monotonic()");
  assert(ending.status === "success");
  // Two sleeps are not in it.
  assert(Number(ending.value) < before[0] + 0.4);
  await interpreter.end();
});

Deno.test("a file that was there is written, and has its bytes again", async () => {
  const library = "lib/python3.14/site-packages/shared.py";
  const own = await readFiles({
    packages: { [library]: "it = 1\n", "etc/own.txt": "own" },
  });
  const interpreter = await startInterpreter(own);
  await interpreter.keep?.();
  const paths = JSON.stringify([`/${library}`, "/etc/own.txt"]);
  const READ = `[open(path).read() for path in ${paths}]`;
  const fresh = await seenBy(interpreter, READ);
  for (
    const write of [
      `for path in ${paths}:\n  with open(path, 'r+') as file: file.write('X')`,
      `for path in ${paths}:\n  with open(path, 'a') as file: file.write('X')`,
      `import os\nfor path in ${paths}: os.truncate(path, 1)`,
      `import os\nos.remove('/etc/own.txt')\nos.chmod('/${library}', 0)`,
    ]
  ) {
    await runCode(interpreter, write);
    assertEquals(await interpreter.rewind?.(), undefined);
    assertEquals(await seenBy(interpreter, READ), fresh, write);
  }
  await interpreter.end();
});

Deno.test("the limit of files is a fresh one's after a rewind", async () => {
  const interpreter = await startKept();
  const fill = `with open("/tmp/full", "wb") as file: file.write(bytes(${
    60 << 20
  }))`;
  for (let round = 0; round < 3; round++) {
    assertEquals((await runCode(interpreter, fill)).status, "success");
    await interpreter.rewind?.();
  }
  await interpreter.end();
});

/** The memory of JavaScript and the tables grow with neither rewinds nor what runs leave. */
Deno.test("many rewinds take no more memory than few", async () => {
  const interpreter = await startKept();
  const codes = [
    "import json\nlen(json.dumps(list(range(99))))",
    "import asyncio\nasync def f(i): return i\nlen(await asyncio.gather(*map(f, range(9))))",
    "f = open('/tmp/a', 'w')\nf.write('x' * 1000)",
  ];
  const goOn = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const ending = await runCode(interpreter, codes[round % codes.length]!);
      const value = ["386", "9", "1000"][round % codes.length];
      assertEquals(ending, { ...ending, status: "success", value });
      assertEquals(await interpreter.rewind?.(), undefined);
    }
    return Deno.memoryUsage().rss;
  };
  const few = await goOn(ROUNDS / 4);
  const many = await goOn(ROUNDS);
  assert(many - few < 32 << 20, `${few} bytes became ${many}`);
  await interpreter.end();
});

/** Runs code in a sandbox process, and wants it rewound; gives what it says then. */
async function runAndRewind(
  sandbox: BareSandbox,
  code: string,
  timeoutMs = 60_000,
) {
  const id = nextId++;
  const request = { code, globals: "{}", timeoutMs };
  await sandbox.send({ type: "run", id, request });
  const next = async (...types: string[]) => {
    for (let at; !(at = await sandbox.packets.next()).done;) {
      const message = fields(decodePacket(withoutToken(at.value)));
      if (types.includes(String(message.type))) return message;
    }
    return {};
  };
  const { ending } = await next("done", "failed");
  await sandbox.send({ type: "next", rewind: true });
  const { isRewound, anew, type } = await next("ready", "failed");
  if (type === "ready") await sandbox.send({ type: "keep" });
  const cause = fields(anew).cause;
  return [fields(ending).status, type, isRewound === true || cause];
}
let nextId = 1;

Deno.test("a sandbox process rewinds what has come back, and makes the rest anew", async () => {
  await using sandbox = await startBareSandbox();
  assert(await sandbox.maybeReady());
  const go = (code: string, timeoutMs?: number) =>
    runAndRewind(sandbox, code, timeoutMs);
  assertEquals(await go("x = 1"), ["success", "ready", "not-kept"]);
  assertEquals(await go("x = 1"), ["success", "ready", true]);
  assertEquals(await go("assert 'x' not in globals()"), [
    ...["success", "ready"],
    true,
  ]);
  assertEquals(await go("1/0"), ["run-error", "ready", true]);
  assertEquals(await go("while True: pass", 300), ["timeout", "ready", true]);
  const waits = "import asyncio\nawait asyncio.sleep(99)";
  assertEquals(await go(waits, 300), ["timeout", "ready", true]);
  assertEquals(await go("import js\njs.Object"), [
    ...["success", "ready"],
    "javascript",
  ]);
  assertEquals(await go("1"), ["success", "ready", true]);
  assertEquals(await go("bytearray(1 << 30)"), [
    ...["memory-limit", "failed"],
    undefined,
  ]);
});

const IS_COMPLETE: RunRequest = {
  code: "1",
  globals: "{}",
  timeoutMs: 10_000,
  look: "is_complete",
};

/** Tasks that wait at once, each on a stack of its own. */
const gather = (count: number) =>
  `import asyncio, time
async def wait(number):
    time.sleep(0.001)
    return number
sum(await asyncio.gather(*(wait(number) for number in range(${count}))))`;

Deno.test("as many tasks wait at once after a look, and in a kept or rewound interpreter, as in a fresh one", async () => {
  await using realm = await openRealm(files);
  const counts = Array.from({ length: 13 }, (_, at) => 44 + 2 * at);
  for (const count of counts) {
    const sum = String(count * (count - 1) / 2);
    for (const round of ["kept", "rewound"]) {
      const said = await realm.run(gather(count));
      assert(said.includes(sum), `${count} tasks, ${round}: ${said}`);
      assertEquals(await realm.rewind(), undefined);
    }
    // Shells ask for it between two runs.
    const look = { request: IS_COMPLETE, files: [], wantsFiles: false };
    await realm.interpreter.run(look, () => Promise.resolve());
    const looked = await realm.run(gather(count));
    assert(looked.includes(sum), `${count} tasks after a look: ${looked}`);
    assertEquals(await realm.rewind(), undefined);
  }
});

Deno.test("a run finds timers numbered as in a fresh interpreter", async () => {
  await using realm = await openRealm(files);
  await realm.run(
    "import asyncio\nfor _ in range(5): await asyncio.sleep(0.01)",
  );
  assertEquals(await realm.rewind(), undefined);
  const said = await realm.run(
    "import js\nfrom pyodide.ffi import create_once_callable\njs.setTimeout(create_once_callable(lambda: None), 50)",
  );
  assert(/\b1\b/.test(said) && !/\b6\b/.test(said), said);
});
