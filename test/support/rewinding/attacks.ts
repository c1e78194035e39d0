import type { Realm } from "./realm.ts";

/** A run that leaves a marker, so that a later run finds it. `MARKER` is bound. */
export interface Attack {
  leave: string;
  /** What the host does once the run has ended, before the rewind. */
  before?(realm: Realm): void;
  /** What the host does after the rewind, during the next run. */
  during?(realm: Realm): void;
  /** What the next run does beside looking around: the trigger of what was left. */
  trigger?: string;
}

/** What may be left over from a run, by the place where it hides. */
export const ATTACKS: Record<string, Attack> = {
  "interned strings": {
    leave: `
import sys
kept = [sys.intern(f"{MARKER}_{at}") for at in range(2000)]
exec(f"{MARKER} = 1")
sys.modules[MARKER] = setattr(sys, MARKER, MARKER)`,
  },
  "immortal objects": {
    leave: `
import sys, ctypes
text = MARKER * 10
(ctypes.c_uint32).from_address(id(text)).value = 0xC0000000
kept = {text: text}
del text`,
  },
  "writes of ctypes into the interpreter": {
    leave: `
import ctypes
data = MARKER.encode()
def write(address, bytes):
    (ctypes.c_char * len(bytes)).from_address(address).raw = bytes
place = id(print) + 64
buffer = ctypes.create_string_buffer(data * 100)
write(ctypes.addressof(buffer), data)
ctypes.c_uint32.from_address(id(int) + 12).value = ctypes.addressof(buffer)  # tp_name
for number in range(50, 250, 7):
    write(id(number) + 12, b"\\x01\\0\\0\\0")
write(id(""), b"\\0" * 4)
None`,
  },
  "writes of ctypes over all free memory": {
    leave: `
import ctypes, sys
data = MARKER.encode() * 1000
kept = [bytearray(data * 10) for _ in range(2000)]
addresses = [id(one) for one in kept]
del kept
for address in addresses[:20]:
    (ctypes.c_char * len(data)).from_address(address).raw = data`,
  },
  "the C stack": {
    leave: `
import ctypes, re
def dig(n, text):
    return [dig(n - 1, text)] if n else text.split(text[:3])
dig(300, MARKER * 100)
sorted([MARKER] * 100, key=lambda it: re.match("(" * 30 + MARKER + ")" * 30, it))
None`,
  },
  "memory that has grown": {
    leave: `
blocks = [bytearray((MARKER * (1 << 20)).encode()) for _ in range(2)]
len(blocks)`,
  },
  "much memory that has grown": {
    leave: `
blocks = [bytearray((MARKER * (1 << 22)).encode()) for _ in range(3)]
len(blocks)`,
  },
  "all memory": {
    leave: `
blocks = []
try:
    while True: blocks.append((MARKER * (1 << 20)).encode())
except MemoryError:
    del blocks[1:]`,
  },
  "objects of JavaScript": {
    leave: `
import js, pyodide_js
from pyodide.ffi import create_proxy, to_js
for owner in (js, pyodide_js, pyodide_js._api, pyodide_js._module, pyodide_js.FS, pyodide_js._api.config):
    for value in (MARKER, create_proxy(lambda: MARKER), to_js([MARKER])):
        try:
            owner.leaked = value
            setattr(owner, MARKER, value)
        except Exception:
            pass`,
  },
  "prototypes of JavaScript": {
    leave: `
import js, pyodide_js
for owner in (js.Object, js.Array, js.Promise, js.Map, js.Error, js.Object.getPrototypeOf(pyodide_js), js.Object.getPrototypeOf(js.Uint8Array)):
    for target in (owner, getattr(owner, "prototype", owner)):
        for name in (MARKER, "then", "toString", "message", "name"):
            try: setattr(target, name, MARKER)
            except Exception: pass`,
  },
  "promises of JavaScript that resolve late": {
    leave: `
import js
from pyodide.ffi import create_once_callable, create_proxy
def late(*_): print(MARKER)
js.Promise.new(create_proxy(lambda resolve, _: js.setTimeout(resolve, 20))).then(create_proxy(late))
for at in range(50): js.Promise.resolve(MARKER).then(create_once_callable(late)).finally_(create_once_callable(late))`,
  },
  "promises of Python": {
    leave: `
import asyncio
from pyodide.ffi import to_js
loop = asyncio.get_running_loop()
futures = [loop.create_future() for _ in range(20)]
for future in futures: future.add_done_callback(lambda it: print(MARKER, it))
for at, future in enumerate(futures): loop.call_later(0.001 * at, future.set_result, MARKER)`,
  },
  "finalizers": {
    leave: `
import gc, sys, weakref
class Haunt:
    def __init__(self): self.me = self
    def __del__(self): print(MARKER)
for _ in range(500): Haunt()
kept = [Haunt() for _ in range(100)]
weakref.finalize(kept[0], print, MARKER)
gc.disable()`,
    trigger: "import gc; gc.collect()",
  },
  "finalizers of JavaScript": {
    leave: `
from pyodide.ffi import to_js
class Haunt:
    def __del__(self): print(MARKER)
lists = [to_js([0]) for _ in range(50)]
for one in lists:
    try: one.append(Haunt())
    except Exception: pass
del lists
None`,
    trigger: `
from pyodide.ffi import to_js
for _ in range(60): to_js([0.5] * 20_000)
import gc; gc.collect()`,
  },
  "proxies that are dropped": {
    leave: `
from pyodide.ffi import create_proxy, to_js
for at in range(2000): create_proxy([MARKER])
held = [create_proxy({at: MARKER}) for at in range(500)]
for one in held[::2]: one.destroy()
None`,
    trigger: `
from pyodide.ffi import to_js
for _ in range(60): to_js([0.5] * 20_000)`,
  },
  "entries of the table": {
    leave: `
import ctypes
Kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
kept = [Kind(lambda it: print(MARKER) or it) for _ in range(50)]
kept[0](1)
None`,
  },
  "functions of C by their addresses": {
    leave: `
import ctypes
Kind = ctypes.PYFUNCTYPE(ctypes.py_object)
said = []
for at in (1, 2, 3, 100):
    try: said.append(Kind(at))
    except Exception as error: said.append(error)
len(said)`,
  },
  "Py_AtExit and pending calls": {
    leave: `
import ctypes, atexit
atexit.register(print, MARKER)
try:
    Kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    callback = Kind(lambda _: print(MARKER) or 0)
    ctypes.pythonapi.Py_AddPendingCall(callback, None)
    ctypes.pythonapi.Py_AtExit(callback)
except Exception as error:
    print(type(error).__name__)`,
    trigger: "import atexit; atexit._run_exitfuncs()",
  },
  "evaluation of frames": {
    leave: `
import sys
try:
    import _testinternalcapi
    seen = []
    _testinternalcapi.set_eval_frame_record(seen)
except Exception as error:
    print(type(error).__name__)
sys.settrace(lambda frame, event, argument: print(MARKER))
None`,
  },
  "profiles, monitors and audits": {
    leave: `
import sys, threading
def haunt(*_):
    if "MARKER" in globals(): sys.__stdout__.write("")
def say(*_): print(MARKER)
sys.addaudithook(lambda event, _: say() if event == "proof.audit" else None)
if hasattr(sys, "monitoring"):
    sys.monitoring.use_tool_id(3, MARKER)
    sys.monitoring.register_callback(3, sys.monitoring.events.PY_START, say)
    sys.monitoring.set_events(3, sys.monitoring.events.PY_START)
threading.setprofile(say)
threading.settrace(say)
sys.setprofile(say)`,
  },
  "streams left open": {
    leave: `
import os, sys
files = [open(f"/tmp/{MARKER}_{at}", "w") for at in range(200)]
for file in files: file.write(MARKER)
copies = [os.dup(1) for _ in range(100)]
os.dup2(files[0].fileno(), 60)
out = open("/dev/stdout", "w")
out.write(MARKER)
sys.leaked = files, out
folder = os.open("/tmp", os.O_RDONLY)
os.fchdir(folder)`,
    trigger: `
import os
try: os.write(60, b"is it open?")
except OSError: pass`,
  },
  "stdout that was replaced": {
    leave: `
import os, sys
kept = os.dup(1)
os.dup2(os.open(f"/tmp/{MARKER}", os.O_CREAT | os.O_RDWR), 1)
os.dup2(kept, 2)
os.close(0)
print(MARKER)
sys.stdout.write(MARKER)`,
  },
  "output that is held back": {
    leave: `
import io, os, sys
out = io.TextIOWrapper(io.BufferedWriter(io.FileIO(os.dup(1), "w"), 1 << 20), write_through=False)
out.write(MARKER)
sys.stdout.write(MARKER[:7])
for at in range(3000): print("x", end="", flush=True)
sys.leaked = out`,
  },
  "half a character": {
    leave: `
import os
os.write(1, "€".encode()[:2])
os.write(2, "😀".encode()[:3])
os.write(1, MARKER.encode())
os.write(1, "😀".encode()[:1])`,
  },
  "pipes": {
    leave: `
import os
ends = [os.pipe() for _ in range(20)]
for _, end in ends: os.write(end, MARKER.encode())
os.dup2(ends[0][0], 0)`,
    trigger: `
import os
print(os.read(0, 100))`,
  },
  "files everywhere": {
    leave: `
import os, pathlib
for folder, folders, files in os.walk("/"):
    if folder.startswith("/proc"): continue
    for name in (MARKER, "random.py", "sitecustomize.py", "toString", "__proto__", "constructor"):
        try: pathlib.Path(folder, name).write_text(f"print({MARKER!r})")
        except OSError: pass
    for name in files:
        try: os.utime(os.path.join(folder, name), (1, 1)); os.chmod(os.path.join(folder, name), 0)
        except OSError: pass`,
  },
  "contents of files that were there": {
    leave: `
import os, mmap
for folder, _, files in os.walk("/"):
    if folder.startswith(("/proc", "/dev")): continue
    for name in files:
        for mode in ("r+b", "wb", "ab"):
            try:
                with open(os.path.join(folder, name), mode) as file:
                    file.write(MARKER.encode())
            except (OSError, ValueError): pass`,
  },
  "devices": {
    leave: `
import os
for name in os.listdir("/dev"):
    path = f"/dev/{name}"
    try:
        os.remove(path)
        os.mknod(path)
        with open(path, "w") as file: file.write(MARKER)
    except OSError: pass
try: os.rename("/dev", f"/{MARKER}")
except OSError: pass
os.symlink("/tmp", f"/home/{MARKER}")
os.rename("/tmp", f"/home/tmp_{MARKER}")`,
  },
  "timers of asyncio": {
    leave: `
import asyncio
loop = asyncio.get_event_loop()
for at in range(40): loop.call_later(0.001 * at, print, MARKER)
kept = loop.call_later(0.02, print, MARKER)
kept.cancel()`,
  },
  "timers of Pyodide": {
    leave: `
import pyodide.webloop as webloop, mcp_runner.rest as rest
for schedule in (webloop.scheduleCallback, rest._schedule):
    for at in range(20):
        try: schedule(lambda: print(MARKER), at)
        except Exception as error: print(type(error).__name__)`,
  },
  "timers of JavaScript": {
    leave: `
import js
from pyodide.ffi import create_proxy
say = create_proxy(lambda *_: print(MARKER))
for at in range(20): js.setTimeout(say, at)
js.setInterval(say, 1)
js.setTimeout(js.setInterval, 1, say, 1)`,
  },
  "events of JavaScript": {
    leave: `
import js
from pyodide.ffi import create_proxy
say = create_proxy(lambda *_: print(MARKER))
signal = js.AbortSignal.timeout(15)
signal.addEventListener("abort", say)
controller = js.AbortController.new()
controller.signal.onabort = say
js.setTimeout(controller.abort.bind(controller), 10)`,
  },
  "code from text": {
    leave: `
import pyodide.code, pyodide_js
for work in (lambda: pyodide.code.run_js(f"globalThis.leaked = {MARKER!r}"), lambda: pyodide_js._api.tests, lambda: __import__("js").eval("1"), lambda: __import__("js").Object.constructor("return this")()):
    try: work()
    except Exception as error: print(type(error).__name__)`,
  },
  "insides of Pyodide": {
    leave: `
import js, pyodide_js
from pyodide.ffi import create_proxy
say = create_proxy(lambda *_: print(MARKER))
module, api = pyodide_js._module, pyodide_js._api
for owner in (module, api, pyodide_js, pyodide_js.FS, module.wasmTable):
    for name in ("onAbort", "print", "scheduleCallback", "on_fatal", "dl_loaded", "get", "runPythonInternal", "fatal_error", "write", "setStdout", "getExpectedKeys"):
        try: setattr(owner, name, say)
        except Exception: pass
try: pyodide_js.registerJsModule(MARKER, js.Object.new())
except Exception: pass
try: pyodide_js.setStdout(js.Object.fromEntries([["batched", say]]))
except Exception: pass
try: pyodide_js.setInterruptBuffer(js.Uint8Array.new(1))
except Exception: pass
try: module.__hiwire_set(3, MARKER)
except Exception: pass`,
  },
  "memory of WebAssembly that JavaScript grows": {
    leave: `
import pyodide_js
module = pyodide_js._module
for work in (lambda: module.wasmMemory.grow(100), lambda: module.growMemory(1 << 26), lambda: module.wasmTable.grow(10), lambda: module._malloc(1 << 24)):
    try: work()
    except Exception as error: print(type(error).__name__)`,
  },
  "workers and ports": {
    leave: `
import js, pyodide_js
said = []
for name in ("Worker", "MessageChannel", "MessagePort", "postMessage", "BroadcastChannel", "queueMicrotask", "FinalizationRegistry", "WebAssembly", "self", "globalThis"):
    try: said.append(str(getattr(js, name)))
    except AttributeError: pass
print(said)
loop = js.Object.getPrototypeOf(js.AbortSignal.prototype)
None`,
  },
  "stacks that are suspended": {
    leave: `
import asyncio
from pyodide.ffi import run_sync
async def deep(at):
    try:
        run_sync(asyncio.sleep(0.005 * at))
        print(MARKER)
    finally:
        print(MARKER)
kept = [asyncio.ensure_future(deep(at)) for at in range(5)]
await asyncio.sleep(0.001)`,
  },
  "stacks that are suspended for good": {
    leave: `
import asyncio
from pyodide.ffi import run_sync
never = asyncio.get_event_loop().create_future()
async def wait():
    try: run_sync(never)
    finally: print(MARKER)
kept = [asyncio.ensure_future(wait()) for _ in range(3)]
await asyncio.sleep(0.001)`,
    trigger:
      "import asyncio\nfrom pyodide.ffi import run_sync\nrun_sync(asyncio.sleep(0))",
  },
  "stacks that end at the end": {
    leave: `
import asyncio
from pyodide.ffi import run_sync
async def once(n):
    if n: run_sync(once(n - 1))
    await asyncio.sleep(0)
run_sync(once(5))
task = asyncio.ensure_future(once(1))
await task`,
  },
  "tasks that never stop": {
    leave: `
import asyncio
async def haunt():
    while True:
        try:
            print(MARKER)
            await asyncio.sleep(0)
        except BaseException:
            pass
kept = [asyncio.ensure_future(haunt()) for _ in range(5)]`,
  },
  "a callback that computes for ever": {
    leave: `
import asyncio
def spin():
    while True:
        try:
            while True: pass
        except BaseException: pass
asyncio.get_event_loop().call_later(0.001, spin)`,
  },
  "callbacks of callbacks": {
    leave: `
import asyncio
loop = asyncio.get_event_loop()
def again(n):
    print(MARKER)
    loop.call_soon(again, n + 1)
loop.call_soon(again, 0)`,
  },
  "handles of the loop": {
    leave: `
import asyncio, pyodide.webloop as webloop
loop = asyncio.get_event_loop()
loop._in_progress = 1000
loop._keyboard_interrupt_handler = loop._no_in_progress_handler = loop._system_exit_handler = lambda *_: print(MARKER)
webloop.WebLoop.call_soon = lambda *_, **__: print(MARKER)
webloop.WebLoop.call_later = webloop.scheduleCallback = lambda *_, **__: print(MARKER)
asyncio.events._set_running_loop(None)
asyncio.set_event_loop(None)`,
  },
  "imports of its own": {
    leave: `
import builtins, importlib.abc, sys
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None): print(MARKER)
sys.meta_path.insert(0, Finder())
sys.path_hooks.insert(0, lambda path: print(MARKER))
sys.path_importer_cache.clear()
original = builtins.__import__
builtins.__import__ = lambda *rest, **more: print(MARKER) or original(*rest, **more)
from _pyodide._importhook import register_js_module
register_js_module(MARKER, {})`,
    trigger: "import sched, colorsys",
  },
  "signals": {
    leave: `
import signal
for number in signal.valid_signals():
    try: signal.signal(number, lambda *_: print(MARKER))
    except (OSError, ValueError): pass
try: signal.set_wakeup_fd(-1)
except Exception: pass
signal.raise_signal(signal.SIGINT)`,
    trigger:
      "import signal\ntry: signal.raise_signal(signal.SIGUSR1) if signal.getsignal(signal.SIGUSR1) not in (signal.SIG_DFL, None) else 0\nexcept Exception: pass",
  },
  "alarms": {
    leave: `
import signal
try:
    signal.signal(signal.SIGALRM, lambda *_: print(MARKER))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.01)
    signal.alarm(1)
except Exception as error:
    print(type(error).__name__)`,
  },
  "codecs": {
    leave: `
import codecs, encodings, sys
codecs.register(lambda name: print(MARKER))
codecs.register_error("strict", lambda error: (MARKER, error.end))
for name in ("utf-8", "latin-1", "rot13"): codecs.lookup(name)
encodings._cache["latin-1"] = encodings._cache["rot13"] = codecs.lookup("utf-8")
sys.stdout.reconfigure(encoding="utf-16")
print("x")`,
    trigger:
      "print(b'\\xe9'.decode('latin-1'), 'abc'.encode('rot13') if False else '')",
  },
  "calls on the host that are answered late": {
    leave: `
import asyncio, mcp_runner.host_calls as host
async def ask():
    try: print(MARKER, await host._ask("call", "{}"))
    finally: print(MARKER)
kept = [asyncio.ensure_future(ask()) for _ in range(3)]
await asyncio.sleep(0)`,
    before: answerAll,
    during: answerAll,
  },
  "calls on the host that time out": {
    leave: `
import asyncio, mcp_runner.host_calls as host
for _ in range(3):
    try: await asyncio.wait_for(host.call("call", {}), 0.001)
    except TimeoutError: print("late")`,
    during: answerAll,
    trigger: `
import asyncio, mcp_runner.host_calls as host
try: print(await asyncio.wait_for(host.call("call", {}), 0.02))
except TimeoutError: print("late")`,
  },
  "requests on the network": {
    leave: `
import asyncio, mcp_runner.network as network
requests = [network._begin(network._make_id(), '{"method": "GET", "url": "http://localhost/", "headers": []}', None) for _ in range(3)]
reading = [network._read(at) for at in range(5)]
None`,
  },
  "the host's functions": {
    leave: `
import mcp_runner.host_calls as host, mcp_runner.displays as displays, mcp_runner.waiting as waiting, mcp_runner.runner as runner
class Odd:
    def __str__(self): return MARKER
    def __del__(self): print(MARKER)
    toString = valueOf = __str__
    def then(self, *rest): print(MARKER)
for function in (host._ask, host._notify, displays._send, waiting._hold_interrupts, runner.guard_stack, runner.begin_output):
    for values in ((), (Odd(),), (Odd(), Odd()), (MARKER, MARKER), ([MARKER],), (Odd, {MARKER: Odd()})):
        try: function(*values)
        except Exception as error: pass`,
  },
  "interrupts that are held": {
    leave: `
import mcp_runner.waiting as waiting
waiting._hold_interrupts(True)`,
    trigger: `
print("spinning".ljust(1 << 17))
while True: pass`,
  },
  "an interrupt that comes late": {
    leave: "print(MARKER)",
    before: ({ interpreter }) => interpreter.interrupt(),
  },
  "an interrupt of tasks that comes late": {
    leave: "print(MARKER)",
    before({ interpreter }) {
      interpreter.interruptTasks();
      interpreter.interrupt();
    },
  },
  "progress and pictures": {
    leave: `
import asyncio, mcp_run_python
async def tell():
    for at in range(1000):
        mcp_run_python.notify_progress(MARKER, at)
        print(MARKER)
        await asyncio.sleep(0)
kept = asyncio.ensure_future(tell())
await asyncio.sleep(0.001)`,
  },
  "patched runner": {
    leave: `
import mcp_runner.runner as runner, mcp_runner.reseed as reseed, mcp_runner.between_runs as between, mcp_runner.sources as sources
import sys, builtins
def haunt(*_, **__): print(MARKER)
for module in (runner, reseed, between, sources):
    for name, value in list(vars(module).items()):
        if callable(value) and not isinstance(value, type): setattr(module, name, haunt)
reseed.reseed.__code__ = haunt.__code__ if hasattr(reseed.reseed, "__code__") else None
builtins.print_leaked = MARKER
class Odd(dict): pass
runner._seen = Odd()`,
  },
  "code of functions that are shared": {
    leave: `
import mcp_runner.runner as runner, mcp_runner.reseed as reseed, types, gc
def haunt(*_, **__):
    import sys
    sys.__stdout__.write("leaked")
    return '{"status": "success", "value": "1"}'
for one in (runner.run, runner.renew if hasattr(runner, "renew") else runner.look, runner.interrupt, reseed.reseed):
    one.__code__ = haunt.__code__.replace(co_freevars=one.__code__.co_freevars)
    one.__globals__["leaked"] = MARKER`,
  },
  "the end of the interpreter": {
    leave: `
import os
print(MARKER, flush=True)
os._exit(3)`,
  },
  "an abort": {
    leave: `
import os
print(MARKER, flush=True)
os.abort()`,
  },
  "a crash": {
    leave: `
import ctypes
print(MARKER, flush=True)
ctypes.c_uint32.from_address(id(type(None)) + 4).value = 0xFFFFFFF0
ctypes.string_at(0xFFFFFFF0)`,
  },
  "a full stack": {
    leave: `
import sys
sys.setrecursionlimit(10**6)
def dig(n): return [dig(n + 1) for _ in (1,)]
class Deep:
    def __repr__(self): return repr(self.inner)
top = inner = Deep()
for _ in range(50_000):
    inner.inner = Deep()
    inner = inner.inner
try: repr(top)
except BaseException as error: print(type(error).__name__)
dig(0)`,
  },
  "exceptions that lead to frames": {
    leave: `
import sys
class Odd(BaseException):
    def __str__(self): raise Odd(MARKER)
def fail(n):
    local = MARKER
    try: 1 / 0 if n == 0 else fail(n - 1)
    except BaseException as error: raise Odd(MARKER) from error
fail(50)`,
  },
  "a stack that C fills": {
    leave: `
import itertools
it = iter(())
for _ in range(200_000): it = itertools.chain(it, (MARKER,))
try: next(it)
except BaseException as error: print(type(error).__name__)
nested = ()
for _ in range(200_000): nested = (nested, MARKER)
try: hash(nested), nested == nested
except BaseException as error: print(type(error).__name__)
del it, nested`,
  },
  "lists of JavaScript": {
    leave: `
import sys
from pyodide.ffi import to_js
sys.leaked = [to_js([MARKER, [MARKER, at], float(at)]) for at in range(3000)]
len(sys.leaked)`,
    trigger: `
from pyodide.ffi import to_js
lists = [to_js([at, [str(at)]]) for at in range(5000)]
print(sum(one.to_py()[0] for one in lists), lists[7].to_py(), len(lists))
del lists`,
  },
  "stacks in stacks": {
    leave: `
import asyncio
from pyodide.ffi import run_sync
async def once(n):
    await asyncio.sleep(0)
    return 1 + (run_sync(once(n - 1)) if n else 0)
print(run_sync(once(30)))
try: run_sync(asyncio.wait_for(asyncio.sleep(60), 0.001))
except BaseException as error: print(type(error).__name__)`,
    trigger: `
import asyncio
from pyodide.ffi import run_sync
async def twice(n):
    await asyncio.sleep(0)
    return n + (run_sync(twice(n - 1)) if n else 0)
print(run_sync(twice(40)), await asyncio.gather(twice(3), twice(4)))`,
  },
  "callables of Pyodide": {
    leave: `
import sys, pyodide.webloop as webloop, mcp_runner.rest as rest, mcp_runner.host_calls as host
from pyodide.ffi import create_once_callable
calls = [create_once_callable(lambda at=at: print(MARKER, at)) for at in range(200)]
for at, call in enumerate(calls[:100]):
    (webloop.scheduleCallback if at % 2 else rest._schedule)(call, at % 5)
sys.leaked = calls
calls[150]()
promise = host._ask("call", "{}")
chained = [promise.then(lambda *_: print(MARKER)) for _ in range(20)]
None`,
    before: answerAll,
    during: answerAll,
  },
  "an import that is under way": {
    leave: `
import _imp, importlib._bootstrap as bootstrap, threading
_imp.acquire_lock()
for name in ("colorsys", "sched", "wave"): bootstrap._get_module_lock(name).acquire()
threading.main_thread()._handle = None
threading._active.clear()
raise SystemExit(MARKER)`,
    trigger: "import colorsys, sched, wave",
  },
  "memory that forged code reads and writes": {
    leave: `
import opcode, struct, types
import mcp_runner.displays as displays, mcp_runner.rest as rest
HEAD = bytes.__basicsize__ - 1
kept = []
def fetch(cell):
    """Gives the object whose address is there: a constant beyond the end of the constants."""
    constants = (None,)
    place = ((cell - id(constants) - tuple.__basicsize__) // 4) & 0x3FFFFFFF
    more = [(opcode.opmap["EXTENDED_ARG"], place >> shift & 255) for shift in (24, 16, 8)]
    steps = [(opcode.opmap["RESUME"], 0), *more, (opcode.opmap["LOAD_CONST"], place & 255), (opcode.opmap["RETURN_VALUE"], 0)]
    code = (lambda: None).__code__.replace(co_code=bytes(sum(steps, ())), co_consts=constants, co_stacksize=4)
    return types.FunctionType(code, {})()
forged = struct.pack("<8I", 1 << 26, id(bytearray), 0x7FFFFFFF, 0x7FFFFFFF, 0, 0, 0, 0)
cell = struct.pack("<I", id(forged) + HEAD)
memory = fetch(id(cell) + HEAD)
text = MARKER.encode()
memory[id(print) + 40:id(print) + 40 + len(text)] = text
# A function of the host becomes another of its functions, and its object another.
show, other = id(displays._send), id(rest._schedule)
for place in (12, 36):
    memory[show + place:show + place + 4] = memory[other + place:other + place + 4]
displays._send(displays._send, 9)
memory[0x1000000:0x1000000 + len(text)] = text
None`,
  },
  "functions of the host that are called late": {
    leave: `
import asyncio, mcp_runner.network as network, mcp_runner.rest as rest, mcp_runner.runner as runner, mcp_runner.waiting as waiting
loop = asyncio.get_running_loop()
def again():
    for function in (runner.begin_output, runner.guard_stack, waiting._hold_interrupts): rest._schedule(function, 0)
    loop.call_soon(again)
    print(MARKER)
again()`,
  },
  "stacks that finalizers suspend": {
    leave: `
import asyncio, sys, weakref
from pyodide.ffi import run_sync
class Slow:
    def __del__(self):
        try: run_sync(asyncio.sleep(0.001))
        finally: print(MARKER)
async def inner(depth):
    await asyncio.sleep(0)
    if depth: run_sync(inner(depth - 1))
    Slow()
kept = [asyncio.ensure_future(inner(3)) for _ in range(3)]
slow = Slow()
weakref.finalize(slow, lambda: run_sync(asyncio.sleep(0.001)))
sys.unraisablehook = lambda *_: run_sync(asyncio.sleep(0))
del slow
def late():
    Slow()
    raise SystemExit
asyncio.get_running_loop().call_soon(late)
None`,
  },
};

/** Answers each call that the run has made. */
function answerAll({ interpreter }: Realm): void {
  for (let id = 1; id <= 3; id++) {
    const answer = JSON.stringify({ value: "leaked" });
    interpreter.answer({ type: "answer", id, answer });
  }
}
