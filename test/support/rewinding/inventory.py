"""Prints all that a run can see of its interpreter, as lines that two fresh interpreters print alike.

Left out: clocks, and random numbers that were drawn anew.
"""

import sys

_modules = sorted(sys.modules)
_main = {name: type(value).__name__ for name, value in globals().items() if name != "LEVEL"}
_interned = sys.getunicodeinternedsize() if hasattr(sys, "getunicodeinternedsize") else None

import gc

_frozen, _counts, _enabled = gc.get_freeze_count(), gc.get_count(), gc.isenabled()
gc.unfreeze()
_objects = gc.get_objects()

import asyncio, atexit, builtins, codecs, collections, contextvars, copyreg, decimal, functools, hashlib
import importlib, io, itertools, linecache, locale, logging, math, os, random, re, signal, stat, struct
import threading, time, types, typing, warnings, weakref

VOLATILE = {
    ("time", "time"), ("logging", "_startTime"), ("random", "_inst"), ("uuid", "_node"),
}
DEEPEST = 2
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))


LEVEL = globals().pop("LEVEL", "lines")  # "few" leaves out what takes long; "all" shows of that a hash
_lines = []


def show(what, *values):
    _lines.append(f"{what}: {' '.join(map(str, values))}")


def tell(part):
    """Prints the lines of a part; of those with many only their hash."""
    if LEVEL == "lines" or not part.__name__.startswith("all_"):
        print(*_lines, sep="\n")
    else:
        print(f"{part.__name__}: {len(_lines)} {hashed(repr(_lines).encode())}")
    _lines.clear()


def hashed(data):
    return hashlib.sha256(data).hexdigest()[:16]


def described(value, depth=0, seen=None):
    """A text that is the same for the same functions and classes, and for equal values."""
    kind = type(value)
    if kind in PLAIN:
        text = repr(value)
        return text if len(text) < 120 else f"{kind.__name__} of {len(text)}: {hashed(text.encode())}"
    if isinstance(value, types.FunctionType):
        return f"function {value.__module__}.{value.__qualname__} {id(value)} {id(value.__code__)} {id(value.__defaults__)}"
    if isinstance(value, types.BuiltinFunctionType):
        return f"builtin {value.__module__}.{value.__qualname__} {id(value)}"
    if isinstance(value, type):
        return f"class {value.__module__}.{value.__qualname__} {id(value)}"
    if isinstance(value, types.ModuleType):
        return f"module {value.__name__} {id(value)}"
    name = f"{kind.__module__}.{kind.__qualname__}"
    if depth >= DEEPEST or kind.__module__ == "pyodide.ffi":  # a look at an object of JavaScript's reaches it
        return name
    seen = seen or ()
    if any(value is one for one in seen):
        return f"{name} again"
    seen = (*seen, value)
    if isinstance(value, dict):
        some = [f"{described(key, depth + 1, seen)}={described(one, depth + 1, seen)}" for key, one in list(value.items())]
        return f"{name}({len(value)}: {', '.join(some)})"
    if isinstance(value, (list, tuple, collections.deque)):
        return f"{name}({len(value)}: {', '.join(described(one, depth + 1, seen) for one in list(value))})"
    if isinstance(value, (set, frozenset)):
        return f"{name}({len(value)}: {', '.join(sorted(described(one, depth + 1, seen) for one in value))})"
    if isinstance(value, functools._lru_cache_wrapper):
        return f"cached {value.__module__}.{value.__qualname__} {tuple(value.cache_info())}"
    if isinstance(value, (re.Pattern, range, slice)):
        return repr(value)
    state = getattr(value, "__dict__", None)
    return f"{name} {described(state, depth + 1, seen)}" if isinstance(state, dict) else name


def short(text):
    return text if len(text) < 300 else f"{text[:200]}… {len(text)}: {hashed(text.encode())}"


def python():
    show("modules", _modules)
    show("globals", _main)
    show("interned", _interned)
    show("__main__", sys.modules["__main__"].__dict__ is globals(), __name__, globals().get("__file__"))
    for name, value in sorted(vars(builtins).items()):
        show(f"builtins.{name}", short(described(value)), id(value) == id(getattr(builtins, name)))
    show("hash", hash("abc"), hash(b"abc"), hash(1.5), hash((1, "a")), list({"one", "two", "three", "four"}))
    show("values", True, False, None, [*range(-6, 258)][::50], (), "", b"", 1e100, repr(0.1), 10**30, not 0, 2 + 2, "a" + "b")
    show("layout", object.__basicsize__, struct.calcsize("P"), sys.maxsize)


def all_types():
    """All classes, with the names in them: those of C, too, which have no other wall than this."""
    seen, waiting = {object}, [object]
    while waiting:
        for one in type.__subclasses__(waiting.pop()):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
    lines = collections.Counter()
    for one in seen:
        own = [f"{name}:{type(value).__name__}" for name, value in vars(one).items()]
        bases = [base.__qualname__ for base in one.__bases__]
        subclasses = [other.__qualname__ for other in type.__subclasses__(one)]
        lines[f"class {one.__module__}.{one.__qualname__}({bases}): {len(own)} {hashed(' '.join(sorted(own)).encode())} {one.__flags__} {short(str(subclasses))}"] += 1
    for line, count in sorted(lines.items()):
        show(line, count)
    for one in (object, type, int, str, bytes, float, list, dict, tuple, set, types.FunctionType, types.ModuleType, BaseException, Exception):
        show(f"names of {one.__name__}", short(str(sorted(vars(one)))))


def all_modules():
    for name in _modules:
        module = sys.modules.get(name)
        if type(module).__module__ == "pyodide.ffi":
            continue  # it is an object of JavaScript's
        show(f"module {name}", type(module).__name__, getattr(module, "__file__", None), len(vars(module)) if hasattr(module, "__dict__") else None)
        if name == "__main__":
            continue
        for attribute, value in list(vars(module).items()):
            if (name, attribute) in VOLATILE:
                continue
            show(f"{name}.{attribute}", short(described(value)))


def system():
    for name in sorted(set(dir(sys)) - {"modules", "_git"}):
        value = getattr(sys, name)
        show(f"sys.{name}", short(described(value)) if not callable(value) or isinstance(value, types.FunctionType) else type(value).__name__)
    for name in ("getrecursionlimit", "getswitchinterval", "get_int_max_str_digits", "getdefaultencoding", "getfilesystemencoding", "getfilesystemencodeerrors", "gettrace", "getprofile", "get_coroutine_origin_tracking_depth", "get_asyncgen_hooks", "getallocatedblocks", "is_stack_trampoline_active", "is_finalizing", "_is_gil_enabled", "_clear_type_cache"):
        if hasattr(sys, name):
            show(f"sys.{name}()", getattr(sys, name)())
    for name in ("displayhook", "excepthook", "breakpointhook", "unraisablehook"):
        show(f"sys.{name}", getattr(sys, name) is getattr(sys, f"__{name}__"))
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        show(f"sys.{name}", stream is getattr(sys, f"__{name}__"), type(stream).__name__, [getattr(stream, one, None) for one in ("encoding", "errors", "closed", "line_buffering", "write_through", "name", "mode", "newlines")], stream.fileno())
    show("path", sys.path, sys.meta_path, sys.path_hooks and [getattr(one, "__qualname__", one) for one in sys.path_hooks], sorted(sys.path_importer_cache))
    if hasattr(sys, "monitoring"):
        show("monitoring", [(sys.monitoring.get_tool(one), sys.monitoring.get_events(one) if sys.monitoring.get_tool(one) else 0) for one in range(6)])
    frame, deep = sys._getframe(), 0
    while frame:
        frame, deep = frame.f_back, deep + 1
    show("frames", deep)
    sys.audit("proof.audit", 1)
    show("exception", sys.exc_info(), [hasattr(sys, f"last_{one}") for one in ("exc", "type", "value", "traceback")])
    show("context", sorted((one.name, short(described(value))) for one, value in contextvars.copy_context().items()))
    show("gc", _enabled, _frozen, _counts, gc.get_threshold(), gc.get_debug(), len(gc.callbacks), len(gc.garbage), gc.get_stats())
    counts = collections.Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in _objects)
    for name, count in sorted(counts.items()):
        show(f"objects of {name}", count)
    show("address", id(object()), id([]), id({}))


def machine():
    show("folder", os.getcwd(), oct(os.umask(0o777)))
    os.umask(0o022)
    show("umask", oct(os.umask(0o022)))
    show("environ", sorted(os.environ.items()), sorted(os.environb.items()) == sorted((os.fsencode(key), os.fsencode(value)) for key, value in os.environ.items()))
    show("getenv", [os.getenv(one) for one in ("LEAKED", "TZ", "LANG", "HOME")])
    show("ids", os.getpid(), os.getppid(), os.getuid(), os.get_terminal_size(1) if os.isatty(1) else None)
    for number in range(40):
        try:
            found = os.fstat(number)
        except OSError:
            continue
        place = os.lseek(number, 0, os.SEEK_CUR) if stat.S_ISREG(found.st_mode) else None
        show(f"descriptor {number}", stat.filemode(found.st_mode), found.st_rdev, os.isatty(number), place, os.get_inheritable(number))
    show("descriptors", sorted(os.listdir("/proc/self/fd")))
    opened = os.open("/workspace", os.O_RDONLY)
    show("next descriptor", opened)
    os.close(opened)
    folders = ["/"]
    for folder in folders:
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            if entry.path.startswith("/proc/self/"):
                continue  # a folder of another kind
            found = entry.stat(follow_symlinks=False)
            line = [stat.filemode(found.st_mode), found.st_size, found.st_uid, found.st_gid, found.st_rdev]
            if entry.is_symlink():
                line.append(os.readlink(entry.path))
            elif entry.is_dir():
                folders.append(entry.path)
            elif entry.is_file() and (found.st_size < 20_000 or "/lib/" not in entry.path):
                with open(entry.path, "rb") as file:
                    line.append(hashed(file.read()))
            show(f"file {entry.path}", *line)
    show("room", os.statvfs("/tmp")[:5])
    show("signals", [(one.name, short(described(signal.getsignal(one))), signal.getsignal(one) is signal.default_int_handler) for one in sorted(signal.Signals)])
    for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF"):
        show(name, signal.getitimer(getattr(signal, name)))
    show("locale", locale.setlocale(locale.LC_ALL), sorted(locale.localeconv().items()), locale.getlocale())
    show("zone", time.tzname, time.timezone, time.altzone, time.daylight, time.localtime(0)[:9])


def library():
    show("warnings", warnings.filters, warnings.showwarning.__module__, short(described(warnings.__dict__.get("onceregistry"))), warnings.defaultaction)
    show("decimal", decimal.getcontext(), decimal.DefaultContext, decimal.BasicContext, decimal.ExtendedContext)
    show("atexit", atexit._ncallbacks())
    for name in ("utf-8", "latin-1", "rot13", "idna", "leaked", "leaked-codec"):
        try:
            show(f"codec {name}", codecs.lookup(name).name, codecs.lookup(name).encode.__module__)
        except LookupError as error:
            show(f"codec {name}", error)
    for name in ("strict", "ignore", "replace", "surrogateescape", "backslashreplace", "namereplace", "xmlcharrefreplace", "surrogatepass", "leaked"):
        try:
            show(f"codec errors {name}", described(codecs.lookup_error(name)))
        except LookupError as error:
            show(f"codec errors {name}", error)
    show("threads", threading.active_count(), [(one.name, one.daemon, one.is_alive()) for one in threading.enumerate()], threading.stack_size(), threading.gettrace(), threading.getprofile(), threading.excepthook is threading.__excepthook__, len(threading._dangling), threading._shutdown_locks if hasattr(threading, "_shutdown_locks") else None)
    show("copyreg", [(described(key), described(value)) for key, value in copyreg.dispatch_table.items()], copyreg._extension_registry, copyreg._inverted_registry)
    show("re", len(re._cache), len(re._cache2), re._compile_template.cache_info() if hasattr(re, "_compile_template") else None)
    show("lines", sorted(linecache.cache))
    root = logging.getLogger()
    show("logging", root.level, root.handlers, root.disabled, root.manager.disable, sorted(root.manager.loggerDict), logging._levelToName, logging.raiseExceptions, logging.lastResort, logging.getLoggerClass(), logging.getLogRecordFactory(), len(logging._handlerList), sorted(logging._handlers))
    for one in vars(collections.abc).values():
        if isinstance(one, type) and type(one).__name__ == "ABCMeta":
            from _abc import _get_dump

            registry, cache, negative, _ = _get_dump(one)
            show(f"registered {one.__qualname__}", sorted(str(other()) for other in registry), len(cache), len(negative))
    show("typing", [wrapper.cache_info() for wrapper in vars(typing).values() if isinstance(wrapper, functools._lru_cache_wrapper)])
    import faulthandler, tracemalloc

    show("tracing", faulthandler.is_enabled(), tracemalloc.is_tracing(), tracemalloc.get_traceback_limit())
    show("importlib", sorted(importlib._bootstrap._module_locks), sorted(importlib._bootstrap_external._pathseps_with_colon))
    show("weak", len(weakref.getweakrefs(object)), len(weakref.getweakrefs(int)), len(weakref.getweakrefs(Exception)))
    show("open files", [one.name for one in _objects if type(one).__module__ in ("_io", "io") and hasattr(one, "name")])
    show("generators", [described(one) for one in _objects if isinstance(one, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType))])


async def loop():
    own = asyncio.get_running_loop()
    show("loop", type(own).__qualname__, own.is_running(), own.is_closed(), own.get_debug(), own.get_task_factory(), own.get_exception_handler(), getattr(own, "slow_callback_duration", None))
    show("loop's state", short(described({key: value for key, value in vars(own).items() if "handle" not in key})), own._system_exit_handler.__qualname__ if hasattr(own._system_exit_handler, "__qualname__") else None)
    show("tasks", len(asyncio.all_tasks()), [one.get_name() for one in asyncio.all_tasks()] and "named", asyncio._get_running_loop() is own)
    show("scheduled", len(asyncio.tasks._scheduled_tasks) if hasattr(asyncio.tasks, "_scheduled_tasks") else None, len(asyncio.tasks._eager_tasks) if hasattr(asyncio.tasks, "_eager_tasks") else None)
    show("name of a task", asyncio.create_task(asyncio.sleep(0)).get_name())
    began = []
    own.call_soon(began.append, "soon")
    own.call_later(0.001, began.append, "later")
    own.call_soon_threadsafe(began.append, "safe")
    await asyncio.sleep(0.01)
    show("order", began, await asyncio.gather(*(asyncio.sleep(0.001 * one, one) for one in range(4))))


def host():
    """What JavaScript keeps of earlier calls."""
    import mcp_runner.network, fcntl, termios

    show("requests", mcp_runner.network._make_id())
    for number in range(3):
        try:
            show(f"flags of {number}", fcntl.fcntl(number, fcntl.F_GETFL), fcntl.fcntl(number, fcntl.F_GETFD))
            show(f"terminal {number}", termios.tcgetattr(number)[:6])
        except (OSError, termios.error) as error:
            show(f"terminal {number}", error)


def seeds():
    """None of them is one that code can have set."""
    show("seeded", random.random() in {random.Random(seed).random() for seed in (0, 1, 7, 42)}, len(os.urandom(8)), len(random.getstate()[1]))


for _part in (python, all_types, all_modules, system, machine, library, host, seeds):
    if LEVEL != "few" or not _part.__name__.startswith("all_"):
        _part()
        tell(_part)
await loop()
tell(loop)
"looked"
