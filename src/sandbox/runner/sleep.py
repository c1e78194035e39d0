"""A sleep that takes no CPU time, and that a time limit can end.

Emscripten's own computes until the time has come, and sees no interrupt.
"""

import time

SHORT = 0.001
LONGEST = 2**31  # of what is longer, Python's own says what it says
_nap = time.sleep


def sleep(seconds, /):
    """Delays execution for a given number of seconds, which may be a fraction."""
    if not _is_plain(seconds):
        return _nap(seconds)
    end = time.monotonic() + float(seconds)
    while (left := end - time.monotonic()) > 0:
        wait(left * 1000)


def _is_plain(seconds):
    try:
        return SHORT < seconds < LONGEST
    except TypeError:
        return False


def wait(milliseconds):
    """Set by the worker: waits, and may return early."""
    _nap(milliseconds / 1000)


time.sleep = sleep
