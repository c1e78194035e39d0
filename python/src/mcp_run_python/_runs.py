"""The common part of both kinds of sandboxes: those for programs with an event loop, and those for programs without
one.

`_sandbox.py` waits where `_code_sandbox.py` awaits. Their methods inherit the documentation of this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

from ._calls import File, run_message
from ._errors import SandboxError
from ._launcher import Call, Lease, Message
from ._options import SandboxOptions
from ._printed import Printed
from ._results import RunResult, Status
from ._tool import ToAnswer, describe_tool

_Function = TypeVar("_Function", bound=Callable[..., Any])


class Runs:
    """Runs code on a launcher, in a fresh interpreter or in a session."""

    def __init__(
        self, lease: Lease | None, options: SandboxOptions, dependencies: list[str], session: int | None = None
    ) -> None:
        self._lease = lease
        self._options = options
        self._dependencies = dependencies
        self._session = session

    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: Any = None,
        wait: Any = None,
    ) -> Any:
        """Runs code, and waits for its end. Ctrl-C, or cancelling the task, ends the run.

        With `wait`, it gives a run that goes on, after so many seconds or at its end before that.

        Args:
            code: Python; top-level `await` works, and the value of the last expression comes back.
            globals: Names bound before the code runs. Their values arrive as JSON has them; so do dataclasses, models
                of pydantic, sets, dates and times, bytes that are text, decimals, UUIDs, paths and members of enums.
            timeout: Seconds after which the code is stopped; the sandbox's own if None.
            engine: The engine of the run, of those of the option `engine`; the first if None.
            files: Files to put into `/workspace`, by path: bytes, text, or the path of a file of this machine.
            on_output: Called with stream and text of each piece of output as it comes. With an event loop, it may be
                a coroutine function; without one and with `wait`, another thread calls it.
            wait: Seconds to wait for the end; 0 gives the run at once. If None, the result itself comes.

        Raises:
            TypeError: If an argument has a wrong type, or JSON cannot carry a global variable.
            ValueError: If an argument is larger than it may be, or `wait` is not from 0 to 86,400.
            SandboxError: If the sandbox is not open, or has ended.

            A run that fails after `wait` raises these by `result()`, as it does errors of `on_output`.
        """
        raise NotImplementedError

    def as_tool(self, to_answer: ToAnswer | None = None) -> Any:
        """Gives `run_python_code(python_code)`, a function that frameworks for agents take as a tool.

        It has a name, a docstring and types for the model. It returns a text for the model, after failing code, too.

        Args:
            to_answer: Makes another answer of that text and the result, such as one that has the pictures.
        """
        raise NotImplementedError

    @property
    def _share(self) -> Lease:
        if self._lease is None:
            raise SandboxError("The sandbox is not open: use it inside `async with code_sandbox() as sandbox`.")
        return self._lease

    def _ask(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        *,
        as_text: bool = False,
    ) -> Message:
        return run_message(
            code,
            globals=globals,
            timeout=timeout,
            engine=engine,
            files=files,
            dependencies=self._dependencies,
            session=self._session,
            as_text=as_text,
        )

    def _name_tool(self, run_python_code: _Function, to_answer: ToAnswer | None) -> _Function:
        """Gives the function the name and the description that frameworks read."""
        run_python_code.__qualname__ = run_python_code.__name__
        run_python_code.__doc__ = describe_tool(
            self._options, self._dependencies, keeps_state=self._session is not None, has_pictures=to_answer is not None
        )
        return run_python_code


class AnyRun:
    """A run that goes on by itself, until its end or that of its sandbox."""

    _ending: Future[RunResult] | asyncio.Task[RunResult]

    def __init__(self, call: Call) -> None:
        self._call = call
        self._printed = Printed()

    @property
    def status(self) -> Status | Literal["running", "failed"]:
        """How it has ended; `failed` if `result()` raises."""
        if not self._ending.done():
            return "running"
        return "failed" if self._ending.cancelled() or self._ending.exception() else self._ending.result().status

    def result(self) -> Any:
        """Waits for the end, as often as you like; a result stays after the sandbox is closed.

        Ctrl-C, or cancelling the task, leaves the run as it is.

        Raises:
            As `run()` without `wait` would, and SandboxError if the sandbox was closed before the end, unless other
            sandboxes share its process: then the status is `cancelled`.
        """
        raise NotImplementedError

    def cancel(self) -> Any:
        """Ends the run, whose result is then `cancelled`, and waits for its end; does nothing after that.

        `on_output` may call it, too, and does not wait.
        """
        raise NotImplementedError

    def output(self) -> Any:
        """Gives the lines that it prints, each time from the first, up to its end.

        Each comes as it ends, those of stdout and stderr apart.
        """
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.status}>"


class AnySandbox(Runs):
    """Runs Python in fresh interpreters that can harm nothing; closing it leaves nothing running."""

    def session(self) -> Any:
        """Opens an interpreter that keeps its state from run to run."""
        raise NotImplementedError

    def install(self, *requirements: str) -> Any:
        """Installs packages for the runs and sessions to come, within `allow_install`.

        Raises:
            InstallError: If they may not be installed, or cannot be.
        """
        raise NotImplementedError


class AnySession(Runs):
    """An interpreter that keeps its state from run to run.

    A run that fails, times out or is cancelled leaves the state as it is, unless its interpreter had to be killed:
    then each run has the status `session-lost`.
    """

    def __init__(self, parent: Runs) -> None:
        lease = parent._share
        super().__init__(lease, parent._options, [*parent._dependencies], lease.open_session())

    def fork(self) -> Any:
        """Opens a copy of the session, as it is after the runs before; both go on.

        Raises:
            SandboxError: If it cannot be copied; the message has the reasons.
        """
        raise NotImplementedError

    def close(self) -> Any:
        """Ends the interpreter, with all that is in it."""
        raise NotImplementedError

    @property
    def _number(self) -> int:
        assert self._session is not None
        return self._session

    def _fork_message(self, copy: AnySession) -> Message:
        return {"type": "fork", "session": self._number, "copy": copy._number}

    def _close_message(self) -> Message:
        return {"type": "close", "session": self._number}
