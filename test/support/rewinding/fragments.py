"""Pieces of the programs that an interpreter is rewound after: each leaves something behind.

A piece begins with its name, and with words behind it:
  pending     leaves work under way, so that the interpreter need not be rewound
  javascript  reaches JavaScript, the same
  library     loads or makes machine code, the same
  grows       takes much memory, the same
  discards    does what no rewind puts back, as far as is known today
  varies      prints what differs between two fresh interpreters
  probe       leaves nothing that the rest of its program would trip over: computes and prints

Its program gives it N, a digit; M, a number of three digits; S, a word.
"""

# --- variables
globals()[f"left_{S}"] = [M] * N
leaked = also_leaked = {"word": S, M: N}
print(len(leaked), N)

# --- main module
import sys
sys.modules["__main__"].leaked = S
sys.modules["__main__"].__dict__["__builtins__"] = __builtins__
sys.modules["leaked"] = sys.modules["__main__"]
print(sys.modules["leaked"].leaked)

# --- imports
import importlib
names = """argparse array bdb bz2 calendar cmd code colorsys concurrent.futures configparser csv dis doctest
email.mime.text filecmp fractions ftplib gettext graphlib gzip hmac html.parser http.cookies http.server imaplib
ipaddress json.tool mailbox mimetypes modulefinder netrc optparse pdb pickletools plistlib poplib pprint profile
pstats pyclbr py_compile quopri random rlcompleter sched secrets selectors shelve smtplib socketserver sqlite3
statistics stringprep symtable tabnanny tarfile telnetlib textwrap timeit trace tracemalloc turtle unittest.mock
urllib.robotparser uuid wave wsgiref.util xml.dom.minidom xml.sax xmlrpc.client zipapp zipfile zoneinfo""".split()
found = []
for at in range(N * 2):
    name = names[(M + at * 7) % len(names)]
    try:
        importlib.import_module(name)
        found.append(name)
    except ImportError as error:
        found.append(type(error).__name__)
print(found)

# --- import again
import importlib, json, string, sys, textwrap
for name in ("textwrap", "string", "json.decoder", "colorsys")[: 1 + N % 4]:
    __import__(name)
    del sys.modules[name]
    __import__(name)
importlib.reload(json)
importlib.invalidate_caches()
print(sys.modules["json"] is json, textwrap.shorten("a b c d", 4))

# --- classes
class Meta(type):
    made = []
    def __new__(meta, name, bases, names, **more):
        made = super().__new__(meta, name, bases, names)
        meta.made.append(name)
        return made
    def __instancecheck__(cls, it):
        return True
class Base(metaclass=Meta):
    registry = {}
    def __init_subclass__(cls, **more):
        Base.registry[cls.__name__] = cls
    def __del__(self):
        Base.registry.pop("gone", None)
class Child(Base):
    __slots__ = ("one", "__weakref__")
class Grandchild(Child, dict):
    pass
made = [type(f"Made{at}", (Base,), {"at": at}) for at in range(N)]
print(isinstance(3, Base), len(Base.registry), Meta.made[:2], [one.at for one in made])

# --- patched builtins
import builtins
kept = builtins.len, builtins.sorted
builtins.len = lambda it: M
builtins.leaked = S
builtins.sorted = builtins.reversed
print(len([1]))
if N % 2:
    builtins.len, builtins.sorted = kept

# --- deleted builtins
import builtins
del builtins.zip, builtins.filter
builtins.map = None
builtins.__debug_leaked__ = 1
print(hasattr(builtins, "zip"))

# --- patched import
import builtins, sys
original = builtins.__import__
calls = []
def watched(name, *rest):
    calls.append(name)
    return original(name, *rest)
builtins.__import__ = watched
import colorsys, cmath
print(calls)

# --- patched modules
import json, math, os, random, re, time, collections, datetime, functools
json.dumps = lambda *_, **__: S
json.loads = math.sqrt = None
time.sleep = lambda _: None
time.time = lambda: M
os.getcwd = lambda: "/leaked"
os.leaked = S
re.compile = functools.lru_cache = None
random.random = lambda: 0.5
collections.OrderedDict = dict
print(json.dumps(1), time.time(), os.getcwd())

# --- patched Python classes
import collections, decimal, enum, fractions, pathlib, logging, json, asyncio
json.JSONEncoder.default = lambda self, it: S
pathlib.PurePath.leaked = property(lambda self: M)
fractions.Fraction.__add__ = lambda self, other: M
enum.Enum.leaked = S
logging.Logger.info = lambda *_: None
collections.Counter.most_common = lambda self, n=None: []
asyncio.Future if N % 2 else None
print(json.dumps(object()), pathlib.Path("a").leaked, fractions.Fraction(1, 2) + 1)

# --- patched classes of C
import gc, sys
names = gc.get_referents(str.__dict__)[0]
names["leaked"] = property(lambda self: M)
gc.get_referents(int.__dict__)[0]["leaked"] = N
gc.get_referents(dict.__dict__)[0]["leaked"] = staticmethod(lambda: S)
if hasattr(sys, "_clear_type_cache"):
    sys._clear_type_cache()
print("abc".leaked, (5).leaked, {}.leaked())

# --- patched runner
import mcp_runner.runner as runner, mcp_run_python, mcp_runner.values as values, mcp_runner.displays
runner.leaked = S
mcp_run_python.notify_progress = print
values.leaked = mcp_runner.displays.leaked = N
mcp_runner.leaked = M
print(runner.OURS == "", runner.leaked == S)

# --- settings of sys
import sys
sys.setrecursionlimit(500 + M)
sys.set_int_max_str_digits(700 + N)
sys.setswitchinterval(0.5)
sys.set_coroutine_origin_tracking_depth(N)
sys.path.insert(0, f"/tmp/{S}")
sys.path.append("/leaked")
sys.argv[:] = [S, "leaked"]
sys.ps1 = S
sys.tracebacklimit = N
sys.dont_write_bytecode = not sys.dont_write_bytecode
sys.pycache_prefix = "/tmp/leaked"
sys.leaked = S
sys.flags_leaked = [M]
print(sys.getrecursionlimit(), sys.get_int_max_str_digits(), sys.getswitchinterval())

# --- hooks of sys
import sys
sys.displayhook = sys.excepthook = sys.unraisablehook = sys.breakpointhook = lambda *_: None
sys.set_asyncgen_hooks(firstiter=lambda it: None, finalizer=lambda it: None)
sys.__displayhook__ = sys.__excepthook__ = S
print(sys.breakpointhook())

# --- interned
import sys
words = [sys.intern(f"leaked_{S}_{at}") for at in range(M)]
words[0] is sys.intern(f"leaked_{S}_0")
exec("\n".join(f"leaked_name_{S}_{at} = {at}" for at in range(N)))
print(len(words))

# --- tracing
import sys, threading
seen = []
def tracer(frame, event, argument):
    seen.append(event)
    return tracer
threading.settrace(tracer)
threading.setprofile(tracer)
sys.settrace(tracer)
def traced(): return M
traced()
if N % 2: sys.settrace(None)
sys.setprofile(lambda *_: None)
print(seen[:3])

# --- monitoring
import sys
if hasattr(sys, "monitoring"):
    calls = []
    for tool in {N % 6, 2}:
        sys.monitoring.use_tool_id(tool, f"leaked {S}")
        sys.monitoring.set_events(tool, sys.monitoring.events.CALL | sys.monitoring.events.LINE)
        sys.monitoring.register_callback(tool, sys.monitoring.events.CALL, lambda *_: calls.append(1))
    len([])
    print(bool(calls))

# --- audit hooks
import sys
heard = []
def audit(event, arguments):
    if event.startswith("leaked"):
        heard.append(event)
    if event == "proof.audit":
        print("leaked", S)
sys.addaudithook(audit)
sys.audit("leaked.one", N)
print(heard)

# --- signals
import signal
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1)[: 1 + N % 4]:
    try:
        signal.signal(one, (signal.SIG_IGN, signal.SIG_DFL, lambda *_: print("leaked"))[N % 3])
    except (ValueError, OSError) as error:
        print(type(error).__name__)
print(signal.getsignal(signal.SIGTERM) is not None)

# --- a signal
import signal
heard = []
signal.signal(signal.SIGUSR2, lambda *_: heard.append(N))
signal.raise_signal(signal.SIGUSR2)
print(heard)

# --- an alarm
import signal
try:
    signal.signal(signal.SIGALRM, lambda *_: print("leaked"))
    signal.alarm(1)
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    print(signal.getitimer(signal.ITIMER_REAL)[1])
except (AttributeError, OSError, signal.ItimerError) as error:
    print(type(error).__name__)

# --- locale
import locale
for name in ("C", "C.UTF-8", "en_US.UTF-8", "POSIX")[N % 4:]:
    try:
        print(locale.setlocale((locale.LC_ALL, locale.LC_NUMERIC)[M % 2], name))
    except locale.Error as error:
        print(error)
locale._override_localeconv = {"decimal_point": ",", "grouping": [3, 3, 0], "thousands_sep": "."}
print(locale.format_string("%.2f", M, grouping=True))

# --- warnings
import warnings, sys
warnings.simplefilter(("error", "ignore", "always")[N % 3])
warnings.filterwarnings("error", S, DeprecationWarning)
warnings.showwarning = lambda *_, **__: None
warnings.formatwarning = None
warnings.defaultaction = "once"
warnings.onceregistry = {"leaked": 1}
sys.warnoptions.append(S)
try:
    warnings.warn(S, UserWarning)
except UserWarning as error:
    print(type(error).__name__)
print(len(warnings.filters) > 2)

# --- codecs
import codecs
class Codec(codecs.Codec):
    def encode(self, text, errors="strict"): return S.encode(), len(text)
    def decode(self, data, errors="strict"): return S, len(data)
def search(name):
    if name.startswith("leaked"):
        return codecs.CodecInfo(Codec().encode, Codec().decode, name=name)
codecs.register(search)
codecs.register_error("leaked", lambda error: (S, error.end))
codecs.register_error(("strict", "replace")[N % 2], lambda error: ("?", error.end))
print("a".encode("leaked-codec"), b"a".decode("leaked"), "\u20ac".encode("ascii", "leaked"))
print("a".encode(("rot13", "cp1252", "koi8-r", "utf-16")[N % 4] if N % 4 else "latin-1"))

# --- encodings
import encodings, encodings.aliases
encodings.aliases.aliases["leaked"] = "latin_1"
encodings._cache["leaked_codec"] = encodings._cache.get("utf_8")
for name in ("utf-32", "cp437", "big5", "shift_jis", "punycode", "unicode_escape")[: N]:
    print(len("abc\u00e9".encode(name, "ignore")))

# --- atexit
import atexit
for at in range(N):
    atexit.register(print, "leaked", S, at)
if M % 3 == 0:
    atexit._run_exitfuncs()
if M % 3 == 1:
    atexit.unregister(print)
print(atexit._ncallbacks())

# --- weak references
import weakref, gc, sys
class Node: pass
called = []
nodes = [Node() for _ in range(N)]
references = [weakref.ref(node, lambda _: called.append(1)) for node in nodes]
watching = weakref.finalize(nodes[0], print, "leaked finalizer", S)
weakref.ref(int, print)
kept = weakref.WeakValueDictionary({at: node for at, node in enumerate(nodes)}), weakref.WeakSet(nodes)
if N % 2:
    watching.detach()
    del nodes
    gc.collect()
print(len(called))

# --- finalizers
import gc, sys
class Ring:
    def __init__(self): self.me = self
    def __del__(self):
        import builtins
        builtins.leaked = S
        gone.append(1)
        if N % 2: rings.append(self)
gone, rings = [], []
sys.modules["leaked_rings"] = Ring()
for _ in range(N): Ring()
if M % 2: gc.collect()
print(len(gone))

# --- threads
import threading, _thread, queue, concurrent.futures
said = []
for start in (lambda: threading.Thread(target=print, daemon=True).start(), lambda: _thread.start_new_thread(print, ()), lambda: threading.Timer(0.001, print).start(), lambda: concurrent.futures.ThreadPoolExecutor(2).submit(print)):
    try:
        start()
        said.append("started")
    except RuntimeError as error:
        said.append(str(error)[:30])
lock = threading.RLock()
lock.acquire()
threading.Lock().acquire()
threading.stack_size(1 << 16) if hasattr(threading, "leaked") else None
local = threading.local()
local.leaked = S
threading.current_thread().name = S
threading.excepthook = print
threading.main_thread().leaked = local
print(said)

# --- locks of imports
import importlib._bootstrap as bootstrap, _imp
bootstrap._get_module_lock(S).acquire()
_imp.acquire_lock()
print(len(bootstrap._module_locks) > 0)

# --- files
import os, pathlib
for folder in ("/workspace", "/tmp", "/home", "/", "/dev", "/lib", "/lib/python3.14", "/lib/image", "/proc", "/dev/shm")[:: 1 + N % 3]:
    try:
        pathlib.Path(folder, f"leaked_{S}").write_text(S * M)
        os.mkdir(os.path.join(folder, f"folder_{S}"))
        pathlib.Path(folder, f"folder_{S}", "deep").write_bytes(bytes(M))
        print(folder)
    except OSError as error:
        print(folder, type(error).__name__)

# --- files left open
import os, sys, tempfile, mmap
files = [open(f"/tmp/open_{S}_{at}", "w+") for at in range(N)]
for file in files: file.write(S * 10)
kept = os.open(f"/workspace/{S}", os.O_CREAT | os.O_RDWR)
os.write(kept, b"leaked")
os.dup(kept)
os.dup2(kept, 30 + N)
temporary = tempfile.TemporaryFile(), tempfile.mkdtemp(prefix="leaked"), tempfile.NamedTemporaryFile(delete=False)
devices = open("/dev/null", "wb"), open("/dev/urandom", "rb", 0), open("/dev/stdin")
sys.modules["leaked_files"] = files, kept
print(kept > 2)

# --- streams closed
import os, sys
os.close(0)
if N % 2: sys.stdin.close()
if M % 2: os.close(2)
if N % 3 == 0: os.dup2(os.open("/tmp/leaked_stderr", os.O_CREAT | os.O_WRONLY), 2)
print("closed")

# --- streams replaced
import io, os, sys
kept = sys.stdout
print("before")
sys.stdout = io.StringIO()
print("leaked")
sys.stderr = sys.__stderr__ = None
sys.__stdout__ = sys.stdout
sys.stdin = io.StringIO(S)
if N % 2: sys.stdout = kept

# --- a stdout that is closed
import os, sys
print("before", flush=True)
if N % 2: os.close(1)
else: os.dup2(os.open(f"/tmp/leaked_{S}", os.O_CREAT | os.O_WRONLY), 1)
print("after")

# --- half a character
import os, sys
os.write(1, "€".encode()[: 1 + N % 2])
os.write(2, "😀".encode()[:3])
sys.stdout.write("half a line")
sys.stderr.write("and another")
sys.stdout.reconfigure(line_buffering=False, errors="replace")

# --- folders
import os, shutil
os.makedirs(f"/tmp/{S}/deep/er", exist_ok=True)
os.chdir(f"/tmp/{S}/deep")
if N % 2: shutil.rmtree(f"/tmp/{S}")
if N % 3 == 0:
    for folder in ("/workspace", "/tmp", "/home/web_user", "/home", "/dev/shm"):
        try:
            shutil.rmtree(folder)
            print("gone", folder)
        except OSError as error:
            print(folder, type(error).__name__)
try:
    print(os.getcwd() != "")
except OSError as error:
    print(error)

# --- links
import os
os.symlink("/workspace", f"/tmp/link_{S}")
os.symlink(f"/tmp/loop_{S}", f"/tmp/loop_{S}")
try:
    os.link("/tmp/link_{S}", "/tmp/hard")
except OSError as error:
    print(type(error).__name__)
try:
    os.remove("/lib/python314.zip")
    os.symlink("/tmp/leaked.zip", "/lib/python314.zip")
except OSError as error:
    print(type(error).__name__)
try:
    os.rename("/home/web_user", f"/home/{S}")
    os.rename("/dev/null", "/dev/leaked")
except OSError as error:
    print(type(error).__name__)

# --- permissions
import os
open(f"/tmp/closed_{S}", "w").close()
for path, mode in ((f"/tmp/closed_{S}", 0), ("/workspace", 0o500), ("/tmp", 0o111), ("/", 0o555), ("/dev/null", 0), ("/lib", 0o777), ("/proc", 0))[: 1 + N]:
    try:
        os.chmod(path, mode)
        os.utime(path, (M, M))
        print(path, oct(os.stat(path).st_mode))
    except OSError as error:
        print(path, type(error).__name__)
os.umask(0o777)

# --- devices
import os
for path in ("/dev/null", "/dev/stdin", "/dev/tty", "/dev/urandom", "/dev/stdout")[: N]:
    try:
        os.remove(path)
        with open(path, "w") as file: file.write("leaked")
        print(path)
    except OSError as error:
        print(path, type(error).__name__)

# --- the room for files
import os
try:
    with open("/tmp/large", "wb") as file:
        for _ in range(N * 2): file.write(bytes(1 << 20))
    with open("/tmp/sparse", "wb") as file: file.truncate(N << 20)
    os.truncate("/tmp/large", N)
    for at in range(M): open(f"/tmp/many_{at}", "w").close()
except OSError as error:
    print(error)
print(len(os.listdir("/tmp")) > 1)

# --- environment
import os
os.environ["LEAKED"] = S
os.environ["HOME"] = f"/home/{S}"
os.environ.pop("PATH", None)
os.environ["TZ"] = "UTC-7"
os.putenv("LEAKED_PUT", S)
os.environb[b"\xff"] = b"\xfe"
for at in range(M): os.environ[f"LEAKED_{at}"] = "x" * N
if N % 4 == 0: os.environ.clear()
print("LEAKED" in os.environ)

# --- time zone
import os, time, datetime
os.environ["TZ"] = ("EST5EDT", "UTC-3", "Europe/Berlin", "XYZ+9")[N % 4]
time.tzset()
print(time.timezone, time.tzname, datetime.datetime.fromtimestamp(M * 10**6))

# --- context variables
import contextvars
variable = contextvars.ContextVar(S, default=N)
token = variable.set(M)
other = contextvars.copy_context()
other.run(variable.set, "inner")
print(variable.get(), other[variable])

# --- decimal contexts
import decimal
decimal.getcontext().prec = 1 + N
decimal.getcontext().rounding = decimal.ROUND_UP
decimal.getcontext().traps[decimal.Inexact] = bool(N % 2)
decimal.DefaultContext.prec = decimal.BasicContext.prec = M
decimal.setcontext(decimal.Context(prec=N + 1, Emin=-9, Emax=9)) if N % 3 == 0 else None
try:
    print(decimal.Decimal(1) / 3)
except decimal.DecimalException as error:
    print(type(error).__name__)

# --- random
import random
random.seed(M)
kept = random.getstate()
random.SystemRandom.random = lambda self: 0.5
print(random.random(), random.randrange(10**6), random.sample(range(100), 3))

# --- gather
import asyncio
async def one(at):
    await asyncio.sleep(0.0005 * (at % 3))
    return at * M
print(await asyncio.gather(*(one(at) for at in range(N))))

# --- tasks that are cancelled
import asyncio
log = []
async def stubborn():
    try:
        await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise
    finally:
        await asyncio.sleep(0)
        log.append("end")
tasks = [asyncio.create_task(stubborn()) for _ in range(N)]
await asyncio.sleep(0)
for task in tasks: task.cancel(S)
print(await asyncio.gather(*tasks, return_exceptions=True) == [], sorted(log)[:2])

# --- a task group
import asyncio
async def fail(at):
    await asyncio.sleep(0)
    if at == N - 1: raise KeyError(S)
    await asyncio.sleep(0.001)
try:
    async with asyncio.TaskGroup() as group:
        for at in range(N): group.create_task(fail(at), name=f"leaked {at}")
except* KeyError as errors:
    print(len(errors.exceptions))

# --- timeouts
import asyncio
try:
    async with asyncio.timeout(0.001):
        await asyncio.sleep(0.02)
except TimeoutError:
    print("late")
try:
    print(await asyncio.wait_for(asyncio.sleep(0, S), 0.05))
    print(await asyncio.wait_for(asyncio.shield(asyncio.sleep(0.003, S)), 0.001))
except TimeoutError:
    print("late again")
await asyncio.sleep(0.02)

# --- queues and events
import asyncio
queue, event, condition, barrier = asyncio.Queue(2), asyncio.Event(), asyncio.Condition(), asyncio.Barrier(2)
got = []
async def produce():
    for at in range(N): await queue.put(at)
    event.set()
async def consume():
    while not (event.is_set() and queue.empty()): got.append(await queue.get())
await asyncio.gather(produce(), consume())
await asyncio.gather(barrier.wait(), barrier.wait())
async with condition: condition.notify_all()
semaphore = asyncio.Semaphore(0)
print(got)

# --- nested awaits
import asyncio
async def deep(n): return n if n == 0 else 1 + await deep(n - 1)
async def fan(n):
    if n == 0: return 1
    return sum(await asyncio.gather(fan(n - 1), fan(n - 1)))
print(await deep(M % 90), await fan(N % 5))

# --- asyncio.run
import asyncio
async def main():
    await asyncio.sleep(0)
    return S
for run in (lambda: asyncio.run(main()), lambda: asyncio.run(main(), debug=True), lambda: asyncio.get_event_loop().run_until_complete(main())):
    try:
        found = run()
        print(found if isinstance(found, str) else type(found).__name__)
    except Exception as error:
        print(type(error).__name__, str(error)[:60])

# --- settings of the loop
import asyncio
loop = asyncio.get_event_loop()
loop.set_debug(bool(N % 2))
loop.slow_callback_duration = N
loop.set_exception_handler(lambda loop, context: print("leaked", context.get("message")))
loop.set_task_factory(lambda loop, coroutine, **more: asyncio.Task(coroutine, loop=loop, **more))
loop.leaked = S
loop._system_exit_handler = print
asyncio.tasks.leaked = N
print(await asyncio.create_task(asyncio.sleep(0, N)))

# --- a policy of loops
import asyncio, warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        asyncio.set_event_loop_policy(None)
        asyncio.set_event_loop(asyncio.get_event_loop())
        print(type(asyncio.get_event_loop_policy()).__name__)
    except Exception as error:
        print(type(error).__name__)

# --- another loop
import asyncio
try:
    other = asyncio.new_event_loop()
    other.call_soon(print, "soon")
    asyncio.set_event_loop(other)
    print(type(other).__name__)
except Exception as error:
    print(type(error).__name__)
await asyncio.sleep(0.001)

# --- exceptions in tasks
import asyncio
async def fail(): raise ValueError(S)
tasks = [asyncio.ensure_future(fail()) for _ in range(N)]
await asyncio.sleep(0.001)
future = asyncio.get_event_loop().create_future()
future.set_exception(KeyError(S))
print([type(task.exception()).__name__ for task in tasks], type(future.exception()).__name__)

# --- coroutines never awaited
import asyncio, warnings
warnings.simplefilter("ignore")
async def never(): return S
kept = [never() for _ in range(N)]
half = never()
try: half.send(None)
except StopIteration as stop: print(stop.value)
future = asyncio.get_event_loop().create_future()

# --- call_soon
import asyncio
loop, rung = asyncio.get_event_loop(), []
loop.call_soon(rung.append, 1)
loop.call_soon_threadsafe(rung.append, 2)
handle = loop.call_later(0.001, rung.append, 3)
loop.call_soon(rung.append, 4).cancel()
await asyncio.sleep(0.005)
print(rung, handle.cancelled())

# --- asyncio's other ways: discards
import asyncio, concurrent.futures
for make in (lambda: asyncio.create_subprocess_exec("ls"), lambda: asyncio.to_thread(print), lambda: asyncio.open_connection("localhost", 1), lambda: asyncio.get_event_loop().run_in_executor(None, print, "ran"), lambda: asyncio.start_server(print, port=1)):
    try:
        await asyncio.wait_for(make(), 0.5)
        print("made")
    except BaseException as error:
        print(type(error).__name__)

# --- as completed
import asyncio
found = [await one for one in asyncio.as_completed([asyncio.sleep(0.002 * at, at) for at in range(3)])]
done, pending = await asyncio.wait([asyncio.ensure_future(asyncio.sleep(0, S))], return_when=asyncio.FIRST_COMPLETED)
print(found, len(done), len(pending))

# --- a long sleep
import time, asyncio
time.sleep(0.002)
print(await asyncio.sleep(0.002, S))

# --- tasks left: pending
import asyncio
async def haunt():
    while True:
        print("leaked", S)
        await asyncio.sleep(0.001)
kept = [asyncio.ensure_future(haunt()) for _ in range(N)]

# --- a timer left: pending
import asyncio
asyncio.get_event_loop().call_later(0.01 * N, print, "leaked", S)
handle = asyncio.get_event_loop().call_later(60, print, "leaked", S)

# --- a cancelled timer left: pending
import asyncio
asyncio.get_event_loop().call_later(0.01 * N, print, "leaked", S).cancel()
task = asyncio.ensure_future(asyncio.sleep(0.01))
task.cancel()

# --- a callback left: pending
import asyncio
loop = asyncio.get_event_loop()
def again(n):
    if n: loop.call_soon(again, n - 1)
    else: print("leaked", S)
loop.call_soon(again, M)

# --- a task that waits for nothing
import asyncio
future = asyncio.get_event_loop().create_future()
async def wait(): await future
kept = asyncio.ensure_future(wait())
await asyncio.sleep(0)
print(kept.done())

# --- an exception that is kept
import sys
def fail(n):
    local = [S] * n
    if n == 0: raise ValueError(S)
    try: fail(n - 1)
    except ValueError as error: raise KeyError(n) from error
try: fail(N)
except KeyError as error:
    sys.modules["leaked_error"] = error
    sys.leaked_frame = error.__traceback__.tb_frame
    print(repr(error))

# --- an exception group
class Odd(Exception):
    def __str__(self): return S
try:
    raise ExceptionGroup("group", [Odd(), ValueError(N), ExceptionGroup("inner", [KeyError(M)])])
except* Odd as odd:
    print(len(odd.exceptions))
except* Exception as rest:
    print(len(rest.exceptions))

# --- generators left open
import sys
def count():
    try:
        at = 0
        while True:
            at += 1
            yield at
    finally:
        import builtins
        builtins.leaked = S
async def ticks():
    try:
        while True: yield N
    finally:
        sys.leaked = S
generators = [count() for _ in range(N)]
asynchronous = ticks()
print([next(one) for one in generators], await anext(asynchronous))
sys.modules["leaked_generators"] = generators, asynchronous

# --- context managers left open
import contextlib, decimal, warnings, sys, tempfile
stack = contextlib.ExitStack()
stack.enter_context(decimal.localcontext(decimal.Context(prec=3)))
stack.enter_context(warnings.catch_warnings(record=True))
stack.enter_context(tempfile.TemporaryDirectory())
stack.enter_context(contextlib.suppress(KeyError))
stack.enter_context(contextlib.chdir("/tmp"))
stack.callback(print, "leaked", S)
print(decimal.getcontext().prec)

# --- collection
import gc
(gc.disable, gc.enable, gc.freeze, gc.unfreeze, gc.collect)[N % 5]()
gc.set_threshold(M, N, N)
gc.callbacks.append(lambda phase, info: None)
gc.garbage.append(S)
if N % 2: gc.set_debug(gc.DEBUG_SAVEALL)
print(gc.get_threshold()[0])

# --- debug of collection
import gc, sys
gc.set_debug(gc.DEBUG_SAVEALL)
for _ in range(M):
    ring = []
    ring.append(ring)
gc.collect()
print(len(gc.garbage) >= M)

# --- memory
block = bytearray(10 << 20)
for at in range(0, len(block), 4096): block[at] = 0x5A
kept = [bytes(N << 10) for _ in range(M)]
del block
print(len(kept))

# --- memory that is kept
import sys
sys.leaked_block = (S * 100).encode() * (M * 20)
sys.leaked_list = [S + str(at) for at in range(M * 100)]
print(len(sys.leaked_list))

# --- much memory: grows
block = bytearray(120 << 20)
block[:: 1 << 16] = b"\x5a" * len(block[:: 1 << 16])
print(len(block))

# --- too much memory: grows
try:
    blocks = [bytearray(64 << 20) for _ in range(12)]
except MemoryError:
    print("no memory")

# --- large numbers and texts
import sys
large = 7 ** (M * 10)
text = f"{S}\u20ac\U0001f600" * M * 10
sys.set_int_max_str_digits(0)
print(len(str(large)), len(text), text[-1] == "\U0001f600", large.bit_length())

# --- recursion
def down(n): return down(n + 1)
try: down(0)
except RecursionError as error: print(type(error).__name__)
nested = []
for _ in range(M * 10): nested = [nested]
try: repr(nested)
except RecursionError: print("too deep")

# --- sqlite
import sqlite3
base = sqlite3.connect(":memory:")
base.execute("create table t (a, b)")
base.executemany("insert into t values (?, ?)", [(at, S) for at in range(M)])
base.create_function("leaked", 1, lambda it: f"{it} {S}")
sqlite3.register_adapter(complex, str)
sqlite3.register_converter("leaked", str)
sqlite3.enable_callback_tracebacks(True)
cursor = base.execute("select leaked(a), b from t order by a desc")
print(cursor.fetchone(), base.total_changes)
stored = sqlite3.connect("/tmp/leaked.db")
stored.execute("create table if not exists t (a)")
stored.execute("insert into t values (1)")
stored.commit() if N % 2 else None

# --- compressors: discards
import bz2, io, lzma, zlib, gzip
data = (S * M).encode()
packers = zlib.compressobj(N), bz2.BZ2Compressor(), lzma.LZMACompressor()
halves = [packer.compress(data) for packer in packers]
open_unpacker = zlib.decompressobj()
open_unpacker.decompress(zlib.compress(data)[:-5])
print(zlib.crc32(data), len(bz2.compress(data)), len(lzma.compress(data)), len(gzip.compress(data, mtime=0)))

# --- logging
import logging, logging.config, io
logging.basicConfig(level=N, stream=io.StringIO(), force=True)
logging.getLogger(S).setLevel(M)
logging.getLogger(f"{S}.inner").addHandler(logging.NullHandler())
logging.addLevelName(M, "LEAKED")
logging.disable(N)
logging.raiseExceptions = False
logging.captureWarnings(True)
logging.setLoggerClass(type("Leaked", (logging.Logger,), {}))
logging.setLogRecordFactory(lambda *rest, **more: logging.LogRecord(*rest, **more))
logging.config.dictConfig({"version": 1, "disable_existing_loggers": bool(N % 2), "loggers": {S: {"level": "DEBUG"}}})
print(logging.getLevelName(M))

# --- import hooks
import importlib.abc, importlib.machinery, importlib.util, sys, types
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("leaked_"): return importlib.machinery.ModuleSpec(name, self)
    def create_module(self, spec): return None
    def exec_module(self, module): module.word = S
(sys.meta_path.append if N % 2 else lambda it: sys.meta_path.insert(0, it))(Finder())
sys.path_hooks.insert(0, lambda path: (_ for _ in ()).throw(ImportError(path)))
sys.path_importer_cache["/tmp/leaked"] = None
import leaked_module
sys.modules["json.leaked"] = types.ModuleType("json.leaked")
sys.modules["sqlite3"] = None
print(leaked_module.word)

# --- a module on disk
import sys, pathlib, importlib
pathlib.Path("/workspace/leaked_on_disk.py").write_text(f"word = {S!r}\nimport os\nos.leaked = word\n")
pathlib.Path("/workspace/sitecustomize.py").write_text("print('leaked')")
pathlib.Path("/workspace/random.py").write_text("print('leaked')")
importlib.invalidate_caches()
if "/workspace" not in sys.path: sys.path.insert(0, "/workspace")
import leaked_on_disk
print(leaked_on_disk.word)

# --- pickle
import copyreg, pickle, copy
class Point:
    def __init__(self, x): self.x = x
copyreg.pickle(Point, lambda it: (Point, (it.x + N,)))
copyreg.pickle(complex, lambda it: (str, (S,)))
copyreg.add_extension("leaked", S, M)
copyreg.dispatch_table[range] = lambda it: (list, ())
print(copy.copy(Point(1)).x, copy.deepcopy([1, {2: (3,)}]), len(pickle.dumps([S] * N)))

# --- caches
import functools, re, typing, struct, fnmatch, linecache, datetime, urllib.parse, locale, abc, collections.abc
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@functools.singledispatch
def shown(it): return "any"
shown.register(int, lambda it: "int")
for at in range(M): re.compile(f"{S}{at}")
typing.Optional[typing.Dict[str, typing.List[int]]]
typing.Literal[S], typing.Union[int, str]
struct.pack(f"<{N}I", *range(N))
fnmatch.fnmatch(S, f"*{N}")
linecache.cache["main.py"] = N, None, ["leaked\n"], "main.py"
urllib.parse.urlsplit(f"http://{S}/?a={N}")
print(fib(M % 70), shown(1), datetime.datetime.strptime("2020-01-02", "%Y-%m-%d"))

# --- abstract classes
import abc, collections.abc, numbers, io, os
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
class Square: pass
Shape.register(Square)
collections.abc.Sequence.register(Square)
numbers.Number.register(Square)
os.PathLike.register(Square)
for one in (collections.abc.Hashable, collections.abc.Sized, io.IOBase): isinstance(Square(), one)
print(isinstance(Square(), collections.abc.Sequence), issubclass(Square, Shape))

# --- enums and data classes
import dataclasses, enum, typing, collections
class Colour(enum.Enum):
    RED = N
    BLUE = M + 10
class Flags(enum.Flag):
    A = enum.auto()
    B = enum.auto()
@dataclasses.dataclass(frozen=True, order=True, slots=True)
class Pair:
    a: int
    b: str = S
    c: list = dataclasses.field(default_factory=list, compare=False)
Tuple = collections.namedtuple("Tuple", "a b")
class Typed(typing.TypedDict, total=False): a: int
class Protocol(typing.Protocol):
    def work(self) -> int: ...
T = typing.TypeVar("T")
class Box(typing.Generic[T]): pass
print(Colour(N), Flags.A | Flags.B, sorted([Pair(2), Pair(1)])[0], Tuple(1, 2), Box[int], dataclasses.asdict(Pair(N)))

# --- diagnosis
import faulthandler, tracemalloc, sys
tracemalloc.start(N)
kept = [bytes(100) for _ in range(M)]
print(tracemalloc.is_tracing())
try:
    faulthandler.enable()
    print(faulthandler.is_enabled())
except Exception as error:
    print(type(error).__name__)
if N % 2: tracemalloc.stop()

# --- pydantic's ways without it
import json, types, inspect
kept = types.SimpleNamespace(word=S), inspect.signature(json.dumps), inspect.getsource(json) if N > 8 else ""
Made = types.new_class("Made", (), {}, lambda names: names.update(a=M))
code = compile(f"x = {M}", f"<{S}>", "exec")
exec(code)
function = types.FunctionType((lambda: N).__code__, {"__builtins__": {}}, S)
print(Made.a, function())

# --- changed functions
import json, textwrap, statistics, inspect
json.dumps.__defaults__ = (N,)
json.dumps.__kwdefaults__["indent"] = N
textwrap.dedent.__code__ = (lambda text: S).__code__
statistics.mean.leaked = S
inspect.signature.__wrapped__ = print
print(textwrap.dedent("  a"), json.dumps([1]))

# --- changed constants
import math, string, sys, os, errno, time
math.pi = 3
string.ascii_letters = S
os.sep = "\\"
os.name = sys.platform = "leaked"
sys.maxsize = N
errno.errorcode.clear()
os.environ.data = {}
sys.byteorder = "big"
sys.version_info = (2, 7)
print(math.pi, string.ascii_letters)

# --- an empty table of modules
import sys
kept = dict(sys.modules)
for name in list(sys.modules):
    if name not in ("sys", "builtins", "__main__") and (N % 2 or not name.startswith("mcp_runner")): del sys.modules[name]
import string
print("string" in sys.modules, len(sys.modules) < 200)

# --- modules replaced
import sys, types
for name in ("json", "os", "asyncio", "traceback", "re", "ast", "io")[: N]:
    sys.modules[name] = types.ModuleType(name)
sys.modules["builtins"] = types.ModuleType("builtins") if N == 9 else sys.modules["builtins"]
print(type(sys.modules["json"]).__name__)

# --- pictures and progress
import mcp_run_python
mcp_run_python.notify_progress(S, N, M)
mcp_run_python.display(b"\x89PNG\r\n\x1a\n" + bytes(M), "image/png") if N % 3 == 0 else None
print("told")

# --- a subprocess
import subprocess, os
for start in (lambda: subprocess.run(["ls"]), lambda: os.system("ls"), lambda: os.fork(), lambda: os.popen("ls"), lambda: os.kill(os.getpid(), 0)):
    try:
        start()
        print("started")
    except BaseException as error:
        print(type(error).__name__)

# --- sockets: discards
import os, socket, select, selectors
try:
    one = socket.socket()
    one.setblocking(False)
    try: one.connect(("127.0.0.1", 9))
    except OSError as error: print(type(error).__name__)
    socket.setdefaulttimeout(N)
    selector = selectors.DefaultSelector()
    ends = os.pipe()
    pair = socket.socketpair() if N % 2 else ()
except OSError as error:
    print(type(error).__name__)
print(socket.getdefaulttimeout())

# --- random of the system
import os, uuid, secrets, tempfile, random
tempfile.tempdir = "/workspace"
tempfile._name_sequence = iter([S] * 5)
uuid._last_timestamp = 1
uuid.getnode = lambda: 1
os.urandom = lambda n: bytes(n)
print(tempfile.gettempdir(), os.urandom(2), uuid.UUID(int=M))

# --- ctypes: library
import ctypes
class Point(ctypes.Structure): _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]
buffer = ctypes.create_string_buffer(S.encode(), 64)
points = (Point * N)()
ctypes.memset(buffer, 65, 3)
print(buffer.value[:3], ctypes.sizeof(Point), len(points))

# --- ctypes callbacks: library
import ctypes
Kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
callbacks = [Kind(lambda it: it + N) for _ in range(N)]
print(callbacks[0](41))

# --- javascript: javascript
import js
from pyodide.ffi import create_proxy, to_js
kept = [create_proxy(lambda: S) for _ in range(N)], to_js({"word": S}), js.Array.new()
js.leaked = S
kept[2].push(kept[0][0])
print(js.Math.max(N, M))

# --- a timer of JavaScript's: javascript
import js
from pyodide.ffi import create_once_callable, create_proxy
js.setTimeout(create_once_callable(lambda: print("leaked", S)), N)
js.setInterval(create_proxy(lambda: print("leaked", S)), N)

# --- a promise of JavaScript's: javascript
import js, asyncio
from pyodide.ffi import create_once_callable
promise = js.Promise.resolve(S)
promise.then(lambda it: print("got", it))
print(await promise)

# --- reading JavaScript: javascript
import js, pyodide_js
print(js.Object.keys(js.Object.fromEntries([["a", N]])).length, type(pyodide_js).__name__)

# --- run_sync
import asyncio
from pyodide.ffi import run_sync, can_run_sync
print(can_run_sync(), run_sync(asyncio.sleep(0.001, S)))

# --- an uncaught exception: last
class Strange(Exception):
    def __str__(self): raise RuntimeError(S)
raise Strange(N) if N % 2 else ValueError(S)

# --- an exit: last
import sys
(sys.exit, exit, quit)[N % 3]((0, N, S, None)[M % 4])

# --- a syntax error: last
exec("1 +")

# --- an interrupt of its own: last
raise KeyboardInterrupt

# --- a deep traceback: last
def down(n): return 1 // n if n == 0 else down(n - 1)
down(M % 300)

# --- an interrupt: last interrupted discards
print("spinning".ljust(1 << 17))  # so much is sent at once
while True: pass

# --- an interrupt that is answered: last interrupted discards
import asyncio
try:
    print("spinning".ljust(1 << 17))  # so much is sent at once
    await asyncio.sleep(600)
except asyncio.CancelledError:
    print("cancelled", S)
    raise

# --- an interrupt in a sleep: last interrupted discards
import time
try:
    print("spinning".ljust(1 << 17))  # so much is sent at once
    time.sleep(600)
finally:
    print("awake")

# --- a value that is a proxy
kept = {"word": S, "list": [N] * 3}
kept

# --- a value that cannot be shown
class Shy:
    def __repr__(self): raise ValueError(S)
Shy()

# --- texts: probe
import re, textwrap, string, unicodedata, difflib
print(re.sub(r"(\w)(\d)", r"\2\1", f"{S}{M} a1 b2"), textwrap.fill("word " * N, 12), string.capwords(S))
print(unicodedata.normalize("NFD", "é").encode(), difflib.get_close_matches(S, [S + "x", "zz"]), f"{M:>8,}|{N:08b}|{M/7:.3e}")

# --- numbers: probe
import math, statistics, fractions, decimal, cmath
print(math.factorial(N), math.comb(M % 50, 3), statistics.stdev([1, 2, N, M]), fractions.Fraction(M, 12), decimal.Decimal(1) / 7, cmath.sqrt(-M))
print(sum(at * at for at in range(M)), pow(N, M, 1009), divmod(-M, 7), 0.1 + 0.2, round(M / 3, 4), int("z" * N, 36))

# --- collections: probe
import collections, heapq, itertools, bisect, functools, operator
print(collections.Counter(S * N).most_common(2), heapq.nsmallest(3, [M, N, 5, 1]), list(itertools.accumulate(range(N))), functools.reduce(operator.mul, range(1, N + 1)))
print(sorted({S, "a", "b"}), {at: at * N for at in range(4)}, list(set("hello")), [*itertools.pairwise("abc")], bisect.bisect([1, 5, 9], N))

# --- data: probe
import json, csv, io, base64, hashlib, zlib, struct, pickle, configparser, xml.etree.ElementTree as tree
print(json.dumps({"b": [1, 2.5, None], "a": S}, sort_keys=True), json.loads("[1e3, true]"), base64.b64encode(S.encode()))
print(hashlib.sha256(S.encode()).hexdigest()[:8], zlib.crc32(S.encode()), struct.unpack("<HH", bytes([N, 1, 2, 3])), pickle.loads(pickle.dumps({S: (N,)})))
print(list(csv.reader(io.StringIO("a,b\n1,\"2,3\""))), tree.tostring(tree.fromstring(f"<a><b c='{N}'/></a>")))

# --- dates: probe
import datetime, calendar, time
day = datetime.datetime(2020, 1 + N, N, tzinfo=datetime.timezone.utc)
print(day.isoformat(), (day + datetime.timedelta(days=M)).strftime("%A %d %B %Y"), calendar.monthrange(2024, 1 + N), time.strftime("%Y", time.gmtime(M)), datetime.datetime.fromtimestamp(M))

# --- asynchrony: probe
import asyncio
async def work(at):
    await asyncio.sleep(0.0003 * ((at * M) % 4))
    return at
async def stream():
    for at in range(N):
        await asyncio.sleep(0)
        yield at
print(await asyncio.gather(*(work(at) for at in range(N))), [at async for at in stream()])
async with asyncio.timeout(30):
    async with asyncio.TaskGroup() as group: made = [group.create_task(work(at)) for at in range(3)]
print([one.result() for one in made])

# --- own files: probe
import os, pathlib, tempfile, shutil
folder = pathlib.Path("/workspace/probe")
folder.mkdir()
(folder / "a.txt").write_text(S * N)
print((folder / "a.txt").stat().st_size, sorted(os.listdir("/workspace")), os.getcwd(), tempfile.gettempdir(), os.listdir("/tmp"))
with tempfile.TemporaryFile() as file: print(file.write(b"x" * M), file.tell())
shutil.rmtree(folder)

# --- a database: probe
import sqlite3
with sqlite3.connect(":memory:") as base:
    base.execute("create table t (a integer primary key, b text)")
    base.executemany("insert into t (b) values (?)", [(S,), ("x",), (str(N),)])
    print(base.execute("select count(*), max(b), sum(a) from t").fetchall(), sqlite3.adapters.keys().__len__())

# --- errors: probe
import traceback, sys
def fail(n):
    if n == 0: raise ValueError(S)
    fail(n - 1)
try: fail(3)
except ValueError: print(traceback.format_exc())
try: "a" + 1
except TypeError as error: print(error)
print(sys.exc_info(), hasattr(sys, "last_exc"))

# --- classes of its own: probe
import dataclasses, enum, abc, typing, collections.abc
@dataclasses.dataclass
class Item:
    word: str
    count: int = N
class Kind(enum.IntEnum):
    A = 1
    B = 2
class Sized(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other): return hasattr(other, "__len__")
print(Item(S), Kind(2), isinstance([], Sized), typing.get_type_hints(Item), isinstance("", collections.abc.Sequence), str.__subclasses__()[:0])

# --- imports: probe
import sys
before = set(sys.modules)
import sqlite3, unittest.mock, xml.dom.minidom, colorsys, wave
print(sorted(set(sys.modules) - before))

# --- identity: probe
class Fresh: pass
print(id(Fresh()) == id(Fresh()), Fresh.__subclasses__(), hash(S), [hash(one) for one in (1, 2.5, "a", (1, 2))], object.__sizeof__(Fresh()))

# --- random drawn: probe varies
import random, uuid, os, secrets, tempfile, time
print(random.random(), uuid.uuid4(), os.urandom(4), secrets.token_hex(4), tempfile.mktemp(), time.time())

# --- output: probe
import sys
for at in range(N * 3): print(at, end=" ", flush=at % 2 == 0)
print(S, file=sys.stderr)
sys.stdout.write("é€😀" * N + "\n")
print(S * M)

# --- flags of streams
import fcntl, os, termios
for number in range(3):
    try:
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_NONBLOCK | os.O_APPEND)
        fcntl.fcntl(number, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
        os.set_inheritable(number, bool(N % 2))
        termios.tcsetattr(number, termios.TCSANOW, [N] * 6 + [[b"x"] * 32])
    except (OSError, termios.error) as error:
        print(type(error).__name__)
os.lseek(0, 0, 0) if N > 9 else None

# --- the host's functions
import mcp_runner.host_calls as host_calls, mcp_runner.network as network, mcp_runner.waiting as waiting, mcp_runner.runner as runner
print(network._make_id() > 0)
waiting._hold_interrupts(bool(N % 2))
runner.begin_output()
host_calls._notify("notify_progress", "{}")
host_calls.connect(None, None)
runner.guard_stack = runner.begin_output = print

# --- models: pydantic
import pydantic, typing
class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", validate_assignment=True)
    a: int = N
    b: list[typing.Optional[str]] = []
    @pydantic.field_validator("a")
    @classmethod
    def double(cls, value): return value * 2
print(Model(a="4", b=[S, None], c=M).model_dump_json(), Model.model_json_schema()["properties"]["a"])
try: Model(a="x")
except pydantic.ValidationError as error: print(error.errors()[0]["type"], len(str(error)))
kept = Model(a=1)
kept.a = M

# --- adapters: pydantic
import pydantic, datetime, decimal, enum, uuid
class Kind(enum.Enum):
    A = S
for kind, value in ((list[int], ["1", N]), (dict[str, datetime.date], {"a": "2020-01-02"}), (decimal.Decimal, "1.5"), (Kind, S), (uuid.UUID, "12345678123456781234567812345678"), (pydantic.EmailStr if False else str, S)):
    print(pydantic.TypeAdapter(kind).validate_python(value))
pydantic.BaseModel.leaked = S
kept = [pydantic.create_model(f"Made{at}", a=(int, at))() for at in range(N * 5)]

# --- the core: pydantic
import pydantic_core
from pydantic_core import core_schema, SchemaValidator
called = []
validator = SchemaValidator(core_schema.no_info_after_validator_function(lambda it: called.append(it) or it, core_schema.int_schema(ge=N)))
print(validator.validate_python(str(N)), validator.validate_json(b"12"), pydantic_core.to_json({"a": [1, S]}), pydantic_core.from_json(b"[1, 2"[:6] + b"]"))
iterator = SchemaValidator(core_schema.generator_schema(core_schema.int_schema())).validate_python(iter(range(M)))
print(next(iterator))

# --- a rich table: pydantic
import rich.console, rich.table, io, rich.traceback
out = io.StringIO()
table = rich.table.Table(title=S)
for at in range(N): table.add_column(str(at))
rich.console.Console(file=out, width=60).print(table)
rich.traceback.install()
import rich, builtins
rich._console = rich.console.Console(file=io.StringIO())
print(len(out.getvalue()))

# --- arrays: numpy
import numpy as np
kept = np.arange(M * 100).reshape(M, 100) * 1.5
print(kept.sum(), np.linalg.det(np.eye(N) * 2), np.fft.fft(np.ones(N)).real.round(3).tolist(), np.sort(kept[:, 0])[-1])
view = kept[::2]
np.seterr(all="raise" if N % 2 else "ignore")
np.set_printoptions(precision=2, threshold=5)
np.leaked = S
try: np.array([1.0]) / 0
except FloatingPointError as error: print(error)

# --- random of numpy: numpy
import numpy as np
np.random.seed(M)
generator = np.random.default_rng(N)
print(np.random.rand(2).round(6).tolist(), generator.integers(0, 100, 3).tolist())
np.random.set_state(np.random.RandomState(1).get_state())

# --- frames: numpy
import pandas as pd
frame = pd.DataFrame({"a": range(M), "b": [S, "x", None] * (M // 3) + [S] * (M % 3)})
print(frame.groupby("b", dropna=False)["a"].sum().to_dict(), frame.describe().loc["mean", "a"], frame.a.rolling(3).mean().iloc[-1])
pd.set_option("display.max_rows", N)
pd.options.mode.copy_on_write = bool(N % 2)
pd.DataFrame.leaked = property(lambda self: S)
frame.to_csv("/tmp/leaked.csv")
print(pd.read_csv("/tmp/leaked.csv").shape, pd.Timestamp("2020-01-02") + pd.Timedelta(days=N))

# --- functions of pandas: numpy
import pandas as pd, numpy as np
pd.api.extensions.register_dataframe_accessor("leaked")(lambda frame: S)
series = pd.Series(np.linspace(0, 1, M), index=pd.date_range("2020-01-01", periods=M))
print(series.resample("ME").mean().round(3).head(2).to_dict().__len__(), series.apply(lambda it: it * N).sum().round(3))
kept = series.rolling(5)

# --- plots: numpy
import matplotlib.pyplot as plt, matplotlib
plt.rcParams["figure.dpi"] = 50 + N
matplotlib.rc("font", size=N + 4)
figure, axes = plt.subplots(1, 2)
axes[0].plot(range(N))
axes[1].hist([1, 2, 2, M])
plt.title(S)
if N % 2: figure.savefig("/tmp/leaked.png")
print(len(plt.get_fignums()), matplotlib.get_backend())

# --- a plot that is shown: numpy
import matplotlib.pyplot as plt, matplotlib.style
matplotlib.style.use("ggplot")
plt.plot([1, N, 2])
plt.show()

# --- science: numpy library
import scipy.optimize, scipy.stats, numpy as np
print(round(scipy.optimize.brentq(lambda it: it * it - N, 0, 10), 6), round(scipy.stats.norm.cdf(1), 6))
scipy.leaked = S
