"""Sandboxes for programs without an event loop: scripts and notebooks."""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ._calls import File, check_end, check_installed, read_result, run_message
from ._launcher import Lease, Message
from ._log import LogHandler
from ._options import SandboxOptions, to_command_line
from ._results import RunResult
from ._runs import AnySandbox, AnySession, Runs, Stream
from ._tool import ToAnswer, read_answer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

OnOutput = Callable[[Stream, str], None]


class _WaitingRuns(Runs):
    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
    ) -> RunResult:
        return read_result(self._call(self._ask(code, globals, timeout, engine, files), on_output))

    def as_tool(self, to_answer: ToAnswer | None = None) -> Callable[[str], Any]:
        def run_python_code(python_code: str) -> Any:
            return read_answer(self._call(self._ask(python_code, as_text=True)), to_answer)

        return self._name_tool(run_python_code, to_answer)

    def _call(self, message: Message, on_output: OnOutput | None = None) -> Message:
        told: queue.SimpleQueue[Message] = queue.SimpleQueue()
        call = self._share.call(message, told.put)
        try:
            while (heard := told.get())["type"] in ("output", "progress"):
                if heard["type"] == "output" and on_output is not None:
                    on_output(heard["stream"], heard["text"])
        except BaseException:
            call.cancel()
            raise
        return heard


class Sandbox(_WaitingRuns, AnySandbox):
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
            log_handler: Called with level and text of each line that the installation and the sandbox log.
            options: See `SandboxOptions`.

        Raises:
            SandboxError: If it cannot start; the message says the remedy.
        """
        super().__init__(Lease(to_command_line(options), log_handler), options, [])
        try:
            self._share.launcher.ready.result()
        except BaseException:
            self.close()
            raise

    def session(self) -> Session:
        return Session(self)

    def install(self, *requirements: str) -> None:
        wanted = [*self._dependencies, *requirements]
        check_installed(read_result(self._call(run_message("", dependencies=wanted))))
        self._dependencies = wanted

    def close(self) -> None:
        """Ends all that belongs to it."""
        self._share.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session(_WaitingRuns, AnySession):
    __doc__ = AnySession.__doc__

    def fork(self) -> Session:
        copy = Session(self)
        check_end(self._call(self._fork_message(copy)))
        return copy

    def close(self) -> None:
        if self._share.has_session(self._number):
            check_end(self._call(self._close_message()))
            self._share.forget_session(self._number)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
