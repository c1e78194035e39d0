"""Between two runs of a session: puts back the parts of Python that a run needs to begin and to be heard.

All other state is the session's own, whatever its code has replaced.
"""

import asyncio
import contextlib
import contextvars
import functools
import signal
import sys
import weakref
from os import O_WRONLY, close, dup2, fstat, stat
from os import open as open_file

from pyodide.webloop import WebLoop

LAST = ("exc", "type", "value", "traceback")  # of sys.last_…
LINKS = ("__cause__", "__context__", "__traceback__", "tb_next")
LONGEST_CHAIN = 2000  # of errors and their frames, that is freed as Python does
LEAST_RECURSION = 200  # our own code needs less

_run = contextvars.ContextVar("mcp_runner.run", default=0)
_runs = 0
_context = contextvars.copy_context()  # in which the last run ended
_main = sys.modules["__main__"]
_streams = {}  # of the first run, by name
_devices = {}  # of these, by name
_loops = weakref.WeakSet()
_make_loop = WebLoop.__init__


@functools.wraps(_make_loop)
def _note_loop(self):
    _make_loop(self)
    self._system_exit_handler = _end_task
    _loops.add(self)


WebLoop.__init__ = _note_loop


def begin():
    global _runs
    _runs += 1
    # Each call from outside has a context of its own.
    for variable, value in _context.items():
        variable.set(value)
    _run.set(_runs)
    loop = asyncio.get_running_loop()
    _loops.add(loop)
    loop._system_exit_handler = _end_task
    if _runs == 1:
        _streams.update({name: getattr(sys, name) for name in ("stdin", "stdout", "stderr")})
        _devices.update({name: stat(f"/dev/{name}").st_rdev for name in _streams})
        return
    sys.modules["__main__"] = _main
    _main.__dict__.pop("__warningregistry__", None)  # a warning comes once in each run
    with contextlib.suppress(Exception):  # the error's class is the code's own
        forget_error()
    if sys.getrecursionlimit() < LEAST_RECURSION:
        sys.setrecursionlimit(LEAST_RECURSION)
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in enumerate(_streams):
        with contextlib.suppress(Exception):
            _put_back(number, name)


def end():
    global _context
    _context = contextvars.copy_context()
    flush()


def flush():
    for stream in (*_streams.values(), sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # the stream is the code's own, and may fail
            pass


def own_tasks():
    """The tasks that the present run has started; all tasks if none is its own."""
    tasks = [task for loop in _loops for task in asyncio.all_tasks(loop)]
    return [task for task in tasks if _run_of(task) == _runs] or tasks


def _run_of(task):
    try:
        return task.get_context().get(_run)
    except Exception:  # a task of another class than asyncio's
        return _runs


def _end_task(code):
    """An exit in a task ends the task."""


def forget_error():
    """Frees the frames of the last error; link by link if they are many, as freeing one would free the next."""
    chain = [error for error in (vars(sys).pop(f"last_{name}", None) for name in LAST) if error is not None]
    seen = set(map(id, chain))
    for link in chain:  # the list grows meanwhile
        for name in LINKS:
            following = getattr(link, name, None)
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                chain.append(following)
    for link in chain if len(chain) > LONGEST_CHAIN else ():
        for name in LINKS:
            if hasattr(link, name):
                setattr(link, name, None)
    link = following = None
    while chain:
        chain.pop()  # the deepest frame first: it holds the frame before it


def _put_back(number, name):
    if number and not _leads_to(number, name):
        opened = open_file(f"/dev/{name}", O_WRONLY)
        if opened != number:
            dup2(opened, number)
            close(opened)
    stream = _streams[name]
    if not _is_open(stream):
        stream = _streams[name] = open(number, "w" if number else "r", 1, "utf-8", closefd=False)
    if number or not _is_open(sys.stdin):  # code may read from where it likes
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _is_open(stream):
    try:
        return not stream.closed
    except ValueError:  # its buffer was detached
        return False


def _leads_to(number, name):
    try:
        return fstat(number).st_rdev == _devices[name]
    except OSError:
        return False
