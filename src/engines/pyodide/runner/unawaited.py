"""Calls that code makes without `await`: told at the end of the run that made them, and in no other run."""

import functools
import inspect
import os
import sys
import warnings
import weakref
from types import CoroutineType

from . import sources
from .mcp_errors import MCPError
from .values import attempt

OURS = os.path.dirname(__file__)
MOST_NOTED = 1000  # then those that are over are forgotten

_noted = {}  # the calls of a run, by the ids of their coroutines
_gone = []  # those that were gone before the run had ended
_told = {}  # those that a run has told, by the same
_has_called = False


def begin():
    global _has_called
    for key, call in [*_told.items()]:
        if call.coroutine() is None:
            del _told[key]
    _noted.clear()
    _gone.clear()
    _has_called = False


class _Call:
    is_told = False

    def __init__(self, name):
        frame = sys._getframe(2)
        while frame and not sources.is_call(frame.f_code.co_filename):
            frame = frame.f_back
        self.name, self.line = name, frame.f_lineno if frame else None


def note(name, start):
    """A coroutine of what `start` gives, which the code has to await."""
    if len(_noted) >= MOST_NOTED:
        for key, it in [*_noted.items()]:
            if not _is_open(it.coroutine()):
                del _noted[key]
    call = _Call(name)
    coroutine = _follow(call, start)
    coroutine.__qualname__ = name
    call.coroutine = weakref.ref(coroutine)
    _told.pop(id(coroutine), None)  # an id of an earlier call
    _noted[id(coroutine)] = call
    return coroutine


async def _follow(call, start):
    try:
        return await start()
    except MCPError as error:
        error.is_told = call.is_told
        raise


def noted(function):
    """A function whose calls are noted."""

    @functools.wraps(function)
    def call(*args, **arguments):
        return note(function.__name__, lambda: function(*args, **arguments))

    return inspect.markcoroutinefunction(call)


def note_made():
    """Notes that a call of the run was made."""
    global _has_called
    _has_called = True


def warn(coroutine):
    """Notes a call that is gone, in the place of Python's warning, which would be in any run."""
    # A value of the code may lie about its class.
    is_ours = type(coroutine) is CoroutineType and coroutine.cr_code.co_filename.startswith(OURS)
    if not is_ours:
        told = f"coroutine '{coroutine.__qualname__}' was never awaited"
        return warnings.warn(told, RuntimeWarning, stacklevel=2, source=coroutine)
    if _told.pop(id(coroutine), None) is None:
        _gone.append(_noted.pop(id(coroutine), None) or _Call(coroutine.__qualname__))


def end(value, has_shown):
    """Ends a run: says which of its calls were not made; raises that if the run has done nothing else."""
    told = _end()
    is_nothing = value is None or hasattr(type(value), "__await__")  # a value may lie about its class
    if told and is_nothing and not _has_called and not has_shown():
        raise MCPError(f"{told[0][:1].upper()}{told[0][1:]}.")
    _tell(told)


def end_failed(error):
    """The same for a run that has failed; a use of a call in the place of its result has a hint."""
    told = _end()
    if "'coroutine' object" not in attempt(str, error, otherwise=lambda _: ""):
        _tell(told)


def _end():
    unmade, begun = [*_gone], []
    for key, call in _noted.items():
        coroutine = call.coroutine()
        if _is_open(coroutine):
            (unmade if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED else begun).append(call)
            _told[key] = call
            call.is_told = True
    _noted.clear()
    _gone.clear()
    return [_sentence(calls, done) for calls, done in ((unmade, "made"), (begun, "answered in this run")) if calls]


def _tell(told):
    for sentence in told:
        attempt(lambda it: print(f"[{it}]", file=sys.stderr), sentence, otherwise=lambda _: None)


def _sentence(calls, done):
    name, line = calls[0].name, calls[0].line
    place = f" (line {line})" if line else ""
    what = f"a call was not {done}, as it was" if len(calls) == 1 else f"{len(calls)} calls were not {done}, as they were"
    return f"{what} not awaited: write `await {name}(...)`{place}"


def _is_open(coroutine):
    return coroutine is not None and inspect.getcoroutinestate(coroutine) != inspect.CORO_CLOSED


def patch_loop(loop):
    """Has a loop say nothing of errors that no task has taken, if their calls were told."""
    handle = loop.default_exception_handler

    def default_exception_handler(self, context):
        if not getattr(context.get("exception"), "is_told", False):
            handle(self, context)

    loop.default_exception_handler = default_exception_handler
