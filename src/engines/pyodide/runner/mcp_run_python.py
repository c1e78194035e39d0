"""What a run can do beside Python itself: `import mcp_run_python`."""

import math

from . import host_calls
from .displays import display

__all__ = ["display", "notify_progress"]

LONGEST_MESSAGE = 1000
LARGEST = 2**53 - 1


def notify_progress(message, progress=None, total=None):
    """Tells whoever waits for this run how far it is.

    message: what goes on, in a line.
    progress: how much is done; left out, it counts calls.
    total: how much there is to do, if that is known.

    Never waits, and may be called as often as one likes: the latest is shown.
    """
    if not isinstance(message, str):
        raise TypeError(f"message must be a string, not {_shown(message)}")
    tell_progress(message, to_count("progress", progress), to_count("total", total))


def tell_progress(message, progress, total, drawn=False):
    """The same with checked arguments; drawn: stderr shows it already."""
    arguments = {"message": _cut(message), "progress": progress, "total": total, "drawn": drawn}
    host_calls.notify("notify_progress", arguments)


def _cut(message):
    if len(message) <= LONGEST_MESSAGE:
        return str.__str__(message)
    return f"{message[:LONGEST_MESSAGE]}..."


def to_count(name, value):
    """Any kind of number as one of JSON."""
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
    if not 0 <= number <= LARGEST:  # and what is no number
        raise ValueError(f"{name} must be from 0 to 2**53 - 1, not {_shown(value)}")
    return int(number) if number.is_integer() else number


def _shown(value):
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "one that is much larger"
    return text if len(text) <= 100 else f"{text[:100]}..."
