"""HTTP requests of a run: its sandbox process sends those whose hosts are granted."""

import asyncio
import errno
import json
import socket

from .hints import for_shell
from .waiting import wait

# The worker's end of the network, set before a run. Its functions are called by names of
# their own: Pyodide would hold the last method that was called, and its object.
_make_id = _begin = _read = _drop = None


def connect(network):
    """Takes the worker's end of the network; requests fail before."""
    global _make_id, _begin, _read, _drop
    names = ("makeId", "begin", "read", "drop")
    _make_id, _begin, _read, _drop = (getattr(network, name, None) for name in names)


class Exchange:
    """A request and its response; methods that end in `_sync` are for code that cannot await."""

    def __init__(self, method, url, headers=(), body=None):
        if _begin is None:
            raise OSError(f'Cannot send a request to "{url}" as no run is under way.')
        self.status = 0
        self.reason = ""
        self.headers = []  # pairs; names are in lower case
        self._id = _make_id()
        self._is_over = False
        request = {"method": method, "url": url, "headers": [[str(name), str(value)] for name, value in headers]}
        self._head = _begin(self._id, json.dumps(request), bytes(body).decode("latin-1") if body else None)
        self._waiting = None

    async def begin(self, timeout=None):
        """Waits for the head of the response; can be called again after a `TimeoutError`."""
        if self._waiting is None:
            self._waiting = asyncio.ensure_future(self._head)
        reply = json.loads(await _within(timeout, asyncio.shield(self._waiting)))
        if "failure" in reply:
            self._is_over = True
            raise _to_error(reply["failure"])
        head = reply["head"]
        self.status, self.reason = head["status"], head["statusText"]
        self.headers = [(name, value) for name, value in head["headers"]]
        return self

    async def read(self, timeout=None):
        """Gives the next part of the body; no bytes at its end."""
        if self._is_over:
            return b""
        part = await _within(timeout, _read(self._id))
        if part is None:
            self._is_over = True
            return b""
        if isinstance(part, str):
            self._is_over = True
            raise _to_error(json.loads(part))
        return part.to_bytes()

    def begin_sync(self, timeout=None):
        return wait(self.begin(timeout))

    def read_sync(self, timeout=None):
        return b"" if self._is_over else wait(self.read(timeout))

    def close(self):
        """Ends the request, or drops the rest of its response."""
        if not self._is_over:
            self._is_over = True
            _drop(self._id)

    def __del__(self):
        if _drop is not None and not getattr(self, "_is_over", True):
            _drop(self._id)


async def _within(timeout, awaitable):
    try:
        return await asyncio.wait_for(awaitable, timeout)
    except asyncio.TimeoutError:
        raise TimeoutError("timed out") from None


def _to_error(failure):
    return _ERRORS.get(failure["kind"], OSError)(failure["message"])


_ERRORS = {
    "denied": lambda message: PermissionError(for_shell(message)),
    "unknown": lambda message: socket.gaierror(socket.EAI_NONAME, message),
    "refused": lambda message: ConnectionRefusedError(errno.ECONNREFUSED, message),
    "invalid": lambda message: OSError(errno.EINVAL, message),
}
