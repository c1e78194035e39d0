"""Waits by stack switching, in code that cannot await."""

import asyncio

from pyodide.ffi import run_sync


def wait(awaitable):
    """Gives the result of an awaitable; cancels it at the time limit of the run."""
    task = asyncio.ensure_future(awaitable)
    try:
        return run_sync(task)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        task.cancel()
