"""Takes an interpreter to rest, so that it can be saved, and wakes it up."""

import asyncio
import gc
import json
import os
import threading
import weakref

from pyodide import webloop

from . import between_runs, preload, reserve, runner
from .reseed import reseed

_schedule = webloop.scheduleCallback  # Pyodide's own, which has a name
_call_later = webloop.WebLoop.call_later
_later = weakref.WeakSet()  # handles of timers; a timer holds its handle until it rings
_taken = []  # names of variables that are the host's
MOST_NAMED = 3


def note_timers():
    """Notes timers, as Pyodide's event loop does not stop a timer whose handle is cancelled."""

    def call_later(self, delay, callback, *args, context=None):
        handle = _call_later(self, delay, callback, *args, context=context)
        if delay > 0:
            _later.add(handle)
        return handle

    webloop.WebLoop.call_later = call_later


def rest(variables_json):
    """Lets go of the host; gives as JSON why this interpreter cannot be saved, and facts for other reasons."""
    runner.connect_host(None, None)
    runner.connect_displays(None)
    runner.connect_network(None)
    runner.connect_interrupts(None)
    runner.guard_stack = None
    runner.begin_output = runner.has_printed = None
    webloop.scheduleCallback = _schedule
    _taken[:] = [name for name, value in json.loads(variables_json).items() if os.environ.get(name) == value]
    for name in _taken:
        del os.environ[name]
    between_runs.flush()
    reserve.release()
    gc.collect()
    cancelled = sum(handle.cancelled() for handle in _later)
    return json.dumps({"reasons": _reasons(), "cancelled": cancelled, "preloaded": preload.imported})


def _reasons():
    loop = asyncio.get_event_loop()
    tasks = [task for task in asyncio.all_tasks(loop) if not task.done()]
    if tasks:
        names = ", ".join(repr(task.get_coro())[:80] for task in tasks[:MOST_NAMED])
        return [f"asyncio tasks are pending: {len(tasks)} ({names})"]
    if threading.active_count() > 1:
        return ["threads run"]
    return []


def wake(variables_json):
    """Puts the variables of the host back; the host connects the rest."""
    variables = json.loads(variables_json)
    os.environ.update({name: variables[name] for name in _taken if name in variables})
    _taken.clear()


def restored(is_fork):
    """Called in another worker than that which was saved; a copy of a session draws other random numbers."""
    _later.clear()
    if is_fork:
        reseed()
