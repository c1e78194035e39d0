"""Waits in code that cannot await, by stack switching."""

import asyncio

from pyodide.ffi import run_sync


def wait(awaitable):
    """Gives what an awaitable gives; ends it when the run's time is up."""
    task = asyncio.ensure_future(awaitable)
    try:
        return run_sync(task)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        task.cancel()
