/**
 * Rewinding an interpreter: what runs leave is gone, or the interpreter is made anew.
 *
 * @module
 */
import { assert, assertEquals, assertNotEquals } from "../deps/assert.ts";
import type { Interpreter } from "../src/engines/engine.ts";
import type { AnewCause } from "../src/protocol/rewinding.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import { networkOf, readFiles, runCode } from "./support/interpreter.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const files = await readFiles();

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
  "another event loop policy":
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
    "from pyodide.ffi import create_proxy\ncreate_proxy(print)",
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
  "much memory": ["memory", "kept = bytearray(150 << 20)"],
};

async function startKept(): Promise<Interpreter> {
  const interpreter = await startInterpreter(files);
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
  const interpreter = await startKept();
  const fresh = await seenBy(interpreter, INVENTORY);
  assertEquals(fresh.ending.status, "success", JSON.stringify(fresh.ending));
  for (const [name, code] of Object.entries(TRACES)) {
    await runCode(interpreter, code);
    const anew = await interpreter.rewind?.();
    assertEquals(anew, undefined, name);
    assertEquals(await seenBy(interpreter, INVENTORY), fresh, name);
    assertEquals(await interpreter.rewind?.(), undefined, name);
  }
  await interpreter.end();
});

Deno.test("an interpreter that is not known to be clean is not rewound", async () => {
  for (const [name, [cause, code]] of Object.entries(UNCLEAN)) {
    const interpreter = await startKept();
    const ending = await runCode(interpreter, code);
    assertEquals(ending.status, "success", JSON.stringify(ending));
    assertEquals((await interpreter.rewind?.())?.cause, cause, name);
    await interpreter.end();
  }
});
