"""Waits by stack switching, in code that cannot await."""

import asyncio

from pyodide.ffi import run_sync


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
