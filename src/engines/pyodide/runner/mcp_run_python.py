"""Functions of a run beyond Python itself: `import mcp_run_python`."""

import math

from . import host_calls
from .displays import display
from .pages import HTML

__all__ = ["HTML", "display", "notify_progress"]

LONGEST_MESSAGE = 1000
LARGEST = 2**53 - 1


def notify_progress(message, progress=None, total=None):
    """Tells the client how far this run is.

    message: what goes on, in a line.
    progress: the amount of work that is done; the count of calls if left out.
    total: the whole amount of work; None if it is not known.

    Never waits, and may be called often: the client sees the latest call.
    """
    if not isinstance(message, str):
        raise TypeError(f"message must be a string, not {_shown(message)}")
    tell_progress(message, to_count("progress", progress), to_count("total", total))


def tell_progress(message, progress, total, drawn=False):
    """Sends progress with checked arguments; drawn: stderr shows it already."""
    message = f"{message[:LONGEST_MESSAGE]}..." if len(message) > LONGEST_MESSAGE else str.__str__(message)
    arguments = {"message": message, "progress": progress, "total": total, "drawn": drawn}
    host_calls.notify("notify_progress", arguments)


def to_count(name, value):
    """Converts any kind of number to a number of JSON."""
    if value is None:
        return None
    if isinstance(value, (str, bytes, bytearray, complex)):
        raise TypeError(f"{name} must be a number, not {_shown(value)}")
    try:
        number = float(value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {_shown(value)}") from None
    except OverflowError:
        number = math.inf
    if not 0 <= number <= LARGEST:  # or NaN
        raise ValueError(f"{name} must be from 0 to 2**53 - 1, not {_shown(value)}")
    return int(number) if number.is_integer() else number


def _shown(value):
    try:
        text = repr(value)
    except ValueError:  # Python does not print an integer of so many digits
        text = "one that is much larger"
    return text if len(text) <= 100 else f"{text[:100]}..."
