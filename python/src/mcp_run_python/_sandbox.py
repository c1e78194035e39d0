"""Sandboxes for programs without an event loop: scripts and notebooks."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._calls import File, check_end, check_installed, read_result, run_message
from ._launcher import Lease, Message
from ._log import LogHandler
from ._options import SandboxOptions, to_command_line
from ._results import RunResult
from ._tool import ToAnswer, ToolPlace, read_answer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

Stream = Literal["stdout", "stderr"]
OnOutput = Callable[[Stream, str], None]


class _Runs(ToolPlace):
    """Runs code on a launcher, in a fresh interpreter or in a session."""

    def __init__(
        self, lease: Lease, options: SandboxOptions, dependencies: list[str], session: int | None = None
    ) -> None:
        super().__init__(options, dependencies, session)
        self._lease = lease

    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
    ) -> RunResult:
        """Runs code, and waits for its end. Ctrl-C ends the run.

        Args:
            code: Python; top-level `await` works, and the value of the last expression comes back.
            globals: Names bound before the code runs; JSON has to be able to carry their values.
            timeout: Seconds after which the code is stopped; the sandbox's own if None.
            files: Files to put into `/workspace`, by path: bytes, text, or the path of a file of this machine.
            on_output: Takes each piece of output as it comes.

        Raises:
            TypeError: If an argument has a wrong type, or JSON cannot carry a global variable.
            ValueError: If an argument is larger than it may be.
            SandboxError: If the sandbox is closed, or has ended.
        """
        return read_result(self._call(self._ask(code, globals, timeout, files), on_output))

    def as_tool(self, to_answer: ToAnswer | None = None) -> Callable[[str], Any]:
        """Gives `run_python_code(python_code)`, a function that frameworks for agents take as a tool.

        It has a name, a docstring and types for the model. What it returns is a text for the model, after failing
        code, too.

        Args:
            to_answer: Makes another answer of that text and the result, such as one that has the pictures.
        """

        def run_python_code(python_code: str) -> Any:
            return read_answer(self._call(self._ask(python_code, as_text=True)), to_answer)

        return self._name_tool(run_python_code, has_pictures=to_answer is not None)

    def _call(self, message: Message, on_output: OnOutput | None = None) -> Message:
        told: queue.SimpleQueue[Message] = queue.SimpleQueue()
        call = self._lease.call(message, told.put)
        try:
            while (heard := told.get())["type"] in ("output", "progress"):
                if heard["type"] == "output" and on_output is not None:
                    on_output(heard["stream"], heard["text"])
        except BaseException:
            call.cancel()
            raise
        return heard


class Sandbox(_Runs):
    """Runs Python in fresh interpreters that can harm nothing; closing it leaves nothing running.

    Sandboxes with equal options share their processes.

    ```python
    with Sandbox(dependencies=["numpy"]) as sandbox:
        print(sandbox.run("import numpy; numpy.arange(3).sum()").value)
    ```
    """

    def __init__(self, *, log_handler: LogHandler | None = None, **options: Unpack[SandboxOptions]) -> None:
        """Starts the sandbox, and installs its packages if they are not in the cache.

        Args:
            log_handler: Takes level and text of what the installation and the sandbox log.
            options: See `SandboxOptions`.

        Raises:
            SandboxError: If it cannot start; the message says the remedy.
        """
        super().__init__(Lease(to_command_line(options), log_handler), options, [])
        try:
            self._lease.launcher.ready.result()
        except BaseException:
            self._lease.close()
            raise

    def session(self) -> Session:
        """Opens an interpreter that keeps its state from run to run."""
        return Session(self._lease, self._options, [*self._dependencies], self._lease.open_session())

    def install(self, *requirements: str) -> None:
        """Installs packages for the runs and sessions to come, within `allow_install`.

        Raises:
            InstallError: If they may not be installed, or cannot be.
        """
        wanted = [*self._dependencies, *requirements]
        check_installed(read_result(self._call(run_message("", dependencies=wanted))))
        self._dependencies = wanted

    def close(self) -> None:
        """Ends all that belongs to it."""
        self._lease.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session(_Runs):
    """An interpreter that keeps its state from run to run.

    A run that fails, times out or is cancelled leaves the state as it is, unless its interpreter had to be killed:
    then each run has the status `session-lost`.
    """

    def fork(self) -> Session:
        """Opens a copy of the session, as it is after the runs before; both go on.

        Raises:
            SandboxError: If it cannot be copied; the message has the reasons.
        """
        copy = Session(self._lease, self._options, self._dependencies, self._lease.open_session())
        check_end(self._call({"type": "fork", "session": self._session, "copy": copy._session}))
        return copy

    def close(self) -> None:
        """Ends the interpreter, with all that is in it."""
        if self._session is not None and self._lease.has_session(self._session):
            check_end(self._call({"type": "close", "session": self._session}))
            self._lease.forget_session(self._session)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
