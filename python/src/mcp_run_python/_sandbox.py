"""Sandboxes for programs without an event loop: scripts and notebooks."""

from __future__ import annotations

import itertools
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, Any, overload

from ._calls import File, check_end, check_installed, check_wait, read_result, run_message
from ._launcher import Call, Lease, Message
from ._log import LogHandler
from ._options import SandboxOptions, to_command_line
from ._printed import Stream
from ._results import RunResult
from ._runs import AnyRun, AnySandbox, AnySession, Runs
from ._tool import ToAnswer, read_answer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

OnOutput = Callable[[Stream, str], None]
_Told = queue.SimpleQueue[Message]


class _WaitingRuns(Runs):
    @overload
    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
        wait: None = None,
    ) -> RunResult: ...

    @overload
    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
        wait: float,
    ) -> Run: ...

    def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
        wait: float | None = None,
    ) -> RunResult | Run:
        message = self._ask(code, globals, timeout, engine, files)
        if wait is None:
            return read_result(self._call(message, on_output))
        check_wait(wait)
        return Run(*self._begin(message), on_output)._after(wait)

    def as_tool(self, to_answer: ToAnswer | None = None) -> Callable[[str], Any]:
        def run_python_code(python_code: str) -> Any:
            return read_answer(self._call(self._ask(python_code, as_text=True)), to_answer)

        return self._name_tool(run_python_code, to_answer)

    def _call(self, message: Message, on_output: OnOutput | None = None) -> Message:
        return _follow(*self._begin(message), on_output)

    def _begin(self, message: Message) -> tuple[Call, _Told]:
        told: _Told = queue.SimpleQueue()
        return self._share.call(message, told.put), told


def _follow(call: Call, told: _Told, on_output: OnOutput | None) -> Message:
    try:
        while (heard := told.get())["type"] in ("output", "progress"):
            if heard["type"] == "output" and on_output is not None:
                on_output(heard["stream"], heard["text"])
    except BaseException:
        call.cancel()
        raise
    return heard


class Run(AnyRun):
    __doc__ = AnyRun.__doc__

    def __init__(self, call: Call, told: _Told, on_output: OnOutput | None) -> None:
        super().__init__(call)
        self._on_output = on_output
        self._ending: Future[RunResult] = Future()
        self._more = threading.Condition()
        # A program can end before the run does.
        self._thread = threading.Thread(target=self._follow, args=(told,), name="mcp_run_python run", daemon=True)
        self._thread.start()

    def result(self) -> RunResult:
        return self._ending.result()

    def cancel(self) -> None:
        if not self._ending.done():
            self._call.cancel()
            if threading.current_thread() is not self._thread:
                wait_for([self._ending])

    def output(self) -> Iterator[str]:
        for at in itertools.count():
            with self._more:
                while at == len(self._printed.lines) and not self._printed.has_ended:
                    self._more.wait()
            if at == len(self._printed.lines):
                return
            yield self._printed.lines[at]

    def _after(self, wait: float) -> Run:
        """Gives itself, after so many seconds; raises its error if it has failed by then."""
        try:
            wait_for([self._ending], wait)
        except BaseException:
            self._call.cancel()
            raise
        if self.status == "failed":
            self.result()
        return self

    def _follow(self, told: _Told) -> None:
        try:
            self._ending.set_result(read_result(_follow(self._call, told, self._take)))
        except BaseException as error:
            self._ending.set_exception(error)
        with self._more:
            self._printed.end()
            self._more.notify_all()

    def _take(self, stream: Stream, text: str) -> None:
        with self._more:
            self._printed.take(stream, text)
            self._more.notify_all()
        if self._on_output is not None:
            self._on_output(stream, text)


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
