"""The errors of calls to MCP servers, and the calls on the host that raise them."""

import json
import re

from . import host_calls
from .waiting import wait

LONG_NUMBER = re.compile(r"\d{16}")
LARGEST = 2**53  # of the integers that the host writes as they are: its numbers are floats


class MCPError(RuntimeError):
    """A call to an MCP server, or to the host for one, that gave no result.

    server, tool: their names; None if the call is not about one.
    cause: the kind of the failure, such as "PermissionError" or "TimeoutError".
    """

    is_told = False  # whether the run that made the call has said that it was not awaited

    def __init__(self, message="", *, server=None, tool=None, cause=None):
        super().__init__(message)
        self.server, self.tool, self.cause = server, tool, cause

    def __str__(self):  # KeyError, of which a subclass inherits too, has another
        return f"{self.args[0]}" if self.args else ""


class MCPNameError(MCPError, AttributeError, KeyError):
    """A server or a tool that is not there."""

    def __init__(self, message="", *, server=None, tool=None):
        super().__init__(message, server=server, tool=tool, cause="LookupError")
        self.name, self.obj = tool or server, None  # else Python adds a suggestion of its own


class MCPImportError(MCPError, ImportError):
    """A module of a server that this run has not loaded."""

    def __init__(self, message="", *, server=None):
        super().__init__(message, server=server, cause="ImportError")


class MCPArgumentError(MCPError, TypeError, ValueError):
    """Arguments that a tool, or a function of code mode, does not take."""

    def __init__(self, message="", *, server=None, tool=None, cause="TypeError"):
        super().__init__(message, server=server, tool=tool, cause=cause)


for _kind in (MCPError, MCPNameError, MCPImportError, MCPArgumentError):
    _kind.__module__ = "mcp"


async def ask(name, arguments, server=None, tool=None):
    """Asks the host; raises each failure as `MCPError`."""
    try:
        text = host_calls.encode(arguments)
        if LONG_NUMBER.search(text):
            json.loads(text, parse_int=_exact)
    except (TypeError, ValueError, RecursionError) as error:
        told = f"Cannot call {_called(name, server, tool)} as its arguments cannot be sent as JSON: {error}"
        raise MCPArgumentError(told, server=server, tool=tool, cause=type(error).__name__) from error
    try:
        return await host_calls.call_text(name, text)
    except MemoryError:
        raise
    except Exception as error:
        raise MCPError(f"{error}", server=server, tool=tool, cause=type(error).__name__) from error


def waited(coroutine, server=None, tool=None):
    """The result of a coroutine, without `await`."""
    try:
        return wait(coroutine)
    except MCPError:
        raise
    except RuntimeError as error:  # in a callback, for one
        told = f"Cannot wait here for {_called('the host', server, tool)}: {error}. Use `await` in a coroutine instead."
        raise MCPError(told, server=server, tool=tool, cause="RuntimeError") from error


def ask_now(name, arguments):
    """ask() without `await`."""
    return waited(ask(name, arguments))


def _exact(digits):
    """Refuses an integer that would reach a server as another one."""
    if abs(int(digits)) > LARGEST:
        raise ValueError(f"{digits:.40} would be rounded: pass it as a string, or as float() if the server takes none")


def _called(name, server, tool):
    return f'tool "{tool}" of server "{server}"' if tool else f'server "{server}"' if server else name
