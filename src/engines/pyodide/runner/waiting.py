"""Waits by stack switching, in code that cannot await."""

import asyncio
import functools
import time
import types

import pyodide.ffi
from pyodide import webloop

_run_sync = pyodide.ffi.run_sync
_hold_interrupts = None


def connect(hold_interrupts):
    """Takes the function that holds interrupts back, or lets them come."""
    global _hold_interrupts
    _hold_interrupts = hold_interrupts


def run_sync(awaitable):
    """Pyodide's own, which an interrupt breaks for good while it hands the awaitable to JavaScript."""
    if not _hold_interrupts:
        return _run_sync(awaitable)
    _hold_interrupts(True)  # until the event loop goes on
    try:
        return _run_sync(awaitable)
    finally:
        _hold_interrupts(False)


pyodide.ffi.run_sync = webloop.run_sync = run_sync
_sleep_deaf = time.sleep


@functools.wraps(_sleep_deaf)
def _sleep(seconds, /):
    """The sleep of later Pyodides: up to 0.27 Python's own computes, and does not hear of an interrupt."""
    if seconds > 0 and pyodide.ffi.can_run_sync():
        run_sync(asyncio.sleep(seconds))
    else:
        _sleep_deaf(seconds)


if isinstance(_sleep_deaf, types.BuiltinFunctionType):
    time.sleep = _sleep


def wait(awaitable):
    """Gives the result of an awaitable; cancels it at the time limit of the run."""
    task = asyncio.ensure_future(awaitable)
    try:
        # Of promises that are rejected at a time Pyodide keeps one error, which is raised in the wrong place.
        run_sync(asyncio.ensure_future(_settle(task)))
        if task.done():
            return task.result()
        raise KeyboardInterrupt
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        task.cancel()


async def _settle(task):
    """Waits for a task; raises nothing."""
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        pass
