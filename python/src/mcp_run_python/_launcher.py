"""A launcher process and the pipe to it; sandboxes with equal options share it.

The messages are those of `src/protocol/pipe_messages.ts`.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

from ._errors import SandboxError
from ._log import LogHandler, read_log
from ._options import CommandLine
from ._program import deno_variables, find_deno, to_arguments

Message = Mapping[str, Any]

_END_SECONDS = 10
"""Time for a launcher to end by itself."""

_CLOSED_EARLY = "The sandbox was closed before the run had ended: take its result before that."

_LONGEST_LINE = 64 << 20
_PIECE_BYTES = 1 << 20


class Call:
    """A call under way; its messages go to `take`, from another thread. The last is its end."""

    def __init__(self, launcher: Launcher, number: int, take: Callable[[Message], None], owner: Lease) -> None:
        self.number = number
        self.take = take
        self.written: dict[str, bytearray] = {}
        """Files that its run has written, by path."""
        self.owner = owner
        self._launcher = launcher

    def cancel(self) -> None:
        self._launcher.tell({"type": "cancel", "id": self.number})


class Launcher:
    """A process of `mcp-run-python pipe`."""

    def __init__(self, command: CommandLine) -> None:
        self.ready: Future[Message] = Future()
        # All that share it wait for it: none of them can cancel it.
        self.ready.set_running_or_notify_cancel()
        self.log_handlers: list[LogHandler] = []
        self._numbers = itertools.count(1)
        self._calls: dict[int, Call] = {}
        self._lock = threading.Lock()
        self._end: SandboxError | None = None
        self._is_closed = False
        self._last_words: Future[Callable[[int], str]] = Future()
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            [find_deno(), *to_arguments([*command.args, "pipe"])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**deno_variables(), **dict(command.variables), "NO_COLOR": "1"},
        )
        self._threads = [
            threading.Thread(target=work, name=f"mcp_run_python {work.__name__}", daemon=True)
            for work in (self._write, self._read_log, self._read)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def has_ended(self) -> bool:
        return self._end is not None

    def number(self) -> int:
        """A number for a session."""
        return next(self._numbers)

    def call(self, message: Message, take: Callable[[Message], None], owner: Lease) -> Call:
        """Sends a call; `take` gets its messages from another thread."""
        call = Call(self, next(self._numbers), take, owner)
        files: Mapping[str, bytes] = message.get("files", {})
        line = _to_line({**{key: message[key] for key in message if key != "files"}, "id": call.number})
        if len(line) > _LONGEST_LINE:
            raise ValueError(
                f"Cannot run the code: it is {len(line)} bytes of JSON with its globals, and may be {_LONGEST_LINE}. "
                "Put data in files."
            )
        with self._lock:
            if self._end is not None:
                raise self._end
            self._calls[call.number] = call
        for path, data in files.items():
            for at in range(0, max(1, len(data)), _PIECE_BYTES):
                piece = base64.b64encode(data[at : at + _PIECE_BYTES]).decode()
                self.tell({"type": "file", "id": call.number, "path": path, "size": len(data), "bytes": piece})
        self._outbox.put(line)
        return call

    def calls_of(self, owner: Lease) -> list[Call]:
        with self._lock:
            return [call for call in self._calls.values() if call.owner is owner]

    def tell(self, message: Message) -> None:
        self._outbox.put(_to_line(message))

    def close(self) -> None:
        """Ends the process and all that it has started, and waits for it."""
        self._is_closed = True
        self._outbox.put(None)
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            while (line := self._outbox.get()) is not None:
                pipe.write(line)
                if self._outbox.empty():
                    pipe.flush()
            pipe.close()
        except OSError:
            pass  # the process has ended, which its reader tells

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        with pipe:
            for line in pipe:
                self._take(json.loads(line))
        code = self._process.wait()
        last_words = self._last_words.result()(code)
        self._fail(SandboxError(_CLOSED_EARLY if self._is_closed else last_words))

    def _take(self, message: Message) -> None:
        kind = message["type"]
        if kind == "ready":
            self.ready.set_result(message)
            return
        number = message["id"]
        is_end = kind in ("result", "done", "failed")
        with self._lock:
            call = self._calls.pop(number, None) if is_end else self._calls.get(number)
        if call is None:
            return
        if kind == "file":
            call.written.setdefault(message["path"], bytearray()).extend(base64.b64decode(message["bytes"]))
            return
        if kind == "result":
            message = {**message, "written": call.written}
        call.take(message)

    def _read_log(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None
        self._last_words.set_result(read_log(pipe, lambda: [*self.log_handlers]))

    def _fail(self, error: SandboxError) -> None:
        with self._lock:
            self._end = error
            calls = [*self._calls.values()]
            self._calls.clear()
        if not self.ready.done():
            self.ready.set_exception(error)
        for call in calls:
            call.take({"type": "failed", "id": call.number, "kind": "Error", "message": str(error)})


def _to_line(message: Message) -> bytes:
    # A line that is not JSON would end the launcher, and with it the runs of all that share it.
    return json.dumps(message, allow_nan=False).encode() + b"\n"


_shared: dict[tuple[int, str, CommandLine], tuple[Launcher, int]] = {}
_shared_lock = threading.Lock()


class Lease:
    """A share of a launcher, with calls and sessions of its own; the launcher ends with its last share."""

    def __init__(self, command: CommandLine, log_handler: LogHandler | None) -> None:
        # A process that this one forks has no threads of a launcher; and elsewhere, a path may be another folder's.
        self._key = os.getpid(), os.getcwd(), command
        self._log_handler = log_handler
        self._is_closed = False
        self._sessions: set[int] = set()
        with _shared_lock:
            launcher, users = _shared.get(self._key, (None, 0))
            if launcher is None or launcher.has_ended:
                launcher, users = Launcher(command), 0
            _shared[self._key] = launcher, users + 1
            self._launcher = launcher
        if log_handler is not None:
            launcher.log_handlers.append(log_handler)

    @property
    def launcher(self) -> Launcher:
        """
        Raises:
            SandboxError: If the share is given back, or is another process's.
        """
        if self._is_closed:
            raise SandboxError("The sandbox is closed: create another one.")
        if self._is_inherited:
            raise SandboxError(
                "The sandbox belongs to the process that this one was forked from: create one in each process."
            )
        return self._launcher

    @property
    def _is_inherited(self) -> bool:
        return self._key[0] != os.getpid()

    def call(self, message: Message, take: Callable[[Message], None]) -> Call:
        """Sends a call; `take` gets its messages from another thread."""
        return self.launcher.call(message, take, self)

    def open_session(self) -> int:
        """A number for a session, which its first run opens."""
        number = self.launcher.number()
        self._sessions.add(number)
        return number

    def has_session(self, number: int) -> bool:
        is_usable = not (self._is_closed or self._is_inherited or self._launcher.has_ended)
        return is_usable and number in self._sessions

    def forget_session(self, number: int) -> None:
        self._sessions.discard(number)

    def close(self) -> None:
        """Gives the share back, and waits for the end of what belongs to it: of the launcher, if it was the last."""
        if self._is_inherited:
            return
        with _shared_lock:
            if self._is_closed:
                return
            self._is_closed = True
            launcher, users = _shared.get(self._key, (None, 0))
            is_shared = launcher is self._launcher and users > 1
            if is_shared:
                _shared[self._key] = self._launcher, users - 1
            elif launcher is self._launcher:
                del _shared[self._key]
        if not is_shared:
            return self._launcher.close()
        if self._log_handler is not None:
            self._launcher.log_handlers.remove(self._log_handler)
        self._leave()

    def _leave(self) -> None:
        for call in self._launcher.calls_of(self):
            call.cancel()
        told: queue.SimpleQueue[Message] = queue.SimpleQueue()
        try:
            calls = [
                self._launcher.call({"type": "close", "session": number}, told.put, self) for number in self._sessions
            ]
        except SandboxError:
            return  # the launcher has ended, and all sessions with it
        for _ in calls:
            told.get()
