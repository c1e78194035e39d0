"""Memory that the code of a session cannot take: when it has taken all other memory, the session goes on with this."""

import functools
import gc
import io

from pyodide.webloop import WebLoop

from . import between_runs

SIZES = (8, 4, 2, 1)  # of the blocks, in units

_held = []
_call_later = WebLoop.call_later
_tell_error = WebLoop.call_exception_handler


@functools.wraps(_call_later)
def _call_with_room(self, *args, **options):
    """Has what waits for a task hear of it that was the last to find memory; else the interpreter would end."""
    try:
        return _call_later(self, *args, **options)
    except MemoryError:
        release()
        return _call_later(self, *args, **options)


@functools.wraps(_tell_error)
def _tell_with_room(self, context):
    """Tells the error of a task that was the last to find memory; else the event loop would end."""
    if isinstance(context.get("exception"), MemoryError):
        release()
    _tell_error(self, context)


WebLoop.call_later = _call_with_room
WebLoop.call_exception_handler = _tell_with_room


def keep(unit):
    """Holds the blocks that there is room for, but of little room half. Whether there is much; `unit` is in bytes."""
    if len(_held) == len(SIZES) and has_room(unit):
        return True
    _held.clear()
    for size in SIZES:
        try:
            _held.append(_block(size * unit))
        except MemoryError:
            pass
    if len(_held) == len(SIZES) and has_room(unit):
        return True
    del _held[:1]  # the largest
    return False


def release():
    _held.clear()


def recover(unit):
    """Frees what an uncaught MemoryError holds. Whether there is memory for code that frees more."""
    release()
    between_runs.forget_error()
    if not keep(unit):
        gc.collect()
        keep(unit)
    return has_room(unit)


def has_room(size):
    try:
        _block(size)
    except MemoryError:
        return False
    return True


def _block(size):
    return io.BufferedReader(io.BytesIO(), size)  # nothing writes to it: it takes no memory of the machine
