"""Calls on the host: Python asks, and the host decides and answers."""

import json

from . import mcp_media
from .waiting import wait

# Errors that the host may raise here, by name.
ERRORS = {
    error.__name__: error
    for error in (PermissionError, RuntimeError, TimeoutError, TypeError, ValueError)
}

_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode
_ask = _notify = None


def connect(ask, notify):
    """Takes the worker's functions; calls fail before."""
    global _ask, _notify
    _ask, _notify = ask, notify


def encode(value):
    """JSON for the host, which gets the data of pictures, too."""
    with mcp_media.whole():
        return _encode(value)


async def call(name, arguments):
    """Asks the host, and gives its answer; arguments and answer are JSON values."""
    return await call_text(name, encode(arguments))


async def call_text(name, arguments):
    """The same with arguments as JSON text."""
    if _ask is None:
        raise RuntimeError(f"Cannot call {name} on the host as no run is under way.")
    answer = json.loads(await _ask(name, arguments))
    if "error" in answer:
        raise ERRORS.get(answer["error"], RuntimeError)(answer["message"])
    return answer["value"]


def call_sync(name, arguments):
    return wait(call(name, arguments))


def notify(name, arguments):
    """Tells the host, which does not answer."""
    if _notify is not None:
        _notify(name, encode(arguments))
