"""Sandboxes for programs with an event loop: agents and servers."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

from ._calls import File, check_end, check_installed, check_wait, read_result, run_message
from ._errors import SandboxError
from ._launcher import Call, Lease, Message
from ._log import LogHandler
from ._options import SandboxOptions, to_command_line
from ._printed import Stream
from ._results import Failure, RunResult
from ._runs import AnyRun, AnySandbox, AnySession, Runs
from ._tool import ToAnswer, read_answer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

OnOutput = Callable[[Stream, str], Awaitable[None] | None]
_Told = asyncio.Queue[Message]


class RunSuccess(TypedDict):
    """The answer of `eval()` to code that came to its end."""

    status: Literal["success"]
    output: list[str]
    return_value: Any


class RunError(TypedDict):
    """The answer of `eval()` to code that failed or was stopped."""

    status: Failure
    output: list[str]
    error: str


class _AwaitingRuns(Runs):
    @overload
    async def run(
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
    async def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
        wait: float,
    ) -> CodeRun: ...

    async def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        engine: str | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
        wait: float | None = None,
    ) -> RunResult | CodeRun:
        message = self._ask(code, globals, timeout, engine, files)
        if wait is None:
            return read_result(await self._call(message, on_output))
        check_wait(wait)
        return await CodeRun(*self._begin(message), on_output)._after(wait)

    def as_tool(self, to_answer: ToAnswer | None = None) -> Callable[[str], Coroutine[Any, Any, Any]]:
        async def run_python_code(python_code: str) -> Any:
            return read_answer(await self._call(self._ask(python_code, as_text=True)), to_answer)

        return self._name_tool(run_python_code, to_answer)

    async def _call(self, message: Message, on_output: OnOutput | None = None) -> Message:
        return await _follow(*self._begin(message), on_output)

    def _begin(self, message: Message) -> tuple[Call, _Told]:
        loop = asyncio.get_running_loop()
        told: _Told = asyncio.Queue()

        def take(message: Message) -> None:
            try:
                loop.call_soon_threadsafe(told.put_nowait, message)
            except RuntimeError:
                pass  # the loop has been closed, and nothing waits for this call

        return self._share.call(message, take), told


async def _follow(call: Call, told: _Told, on_output: OnOutput | None) -> Message:
    try:
        while (heard := await told.get())["type"] in ("output", "progress"):
            if heard["type"] == "output" and on_output is not None:
                taken = on_output(heard["stream"], heard["text"])
                if taken is not None:
                    await taken
    except BaseException:
        call.cancel()
        raise
    return heard


class CodeRun(AnyRun):
    __doc__ = AnyRun.__doc__

    def __init__(self, call: Call, told: _Told, on_output: OnOutput | None) -> None:
        super().__init__(call)
        self._on_output = on_output
        self._more = asyncio.Event()
        self._ending: asyncio.Task[RunResult] = asyncio.create_task(self._follow(told))
        self._ending.add_done_callback(self._end)

    async def result(self) -> RunResult:
        await asyncio.wait([self._ending])
        return self._ending.result()

    async def cancel(self) -> None:
        if not self._ending.done():
            self._call.cancel()
            if asyncio.current_task() is not self._ending:
                await asyncio.wait([self._ending])

    async def output(self) -> AsyncIterator[str]:
        for at in itertools.count():
            while at == len(self._printed.lines):
                if self._printed.has_ended:
                    return
                await self._more.wait()
            yield self._printed.lines[at]

    async def _after(self, wait: float) -> CodeRun:
        """Gives itself, after so many seconds; raises its error if it has failed by then."""
        try:
            await asyncio.wait([self._ending], timeout=wait)
        except BaseException:
            self._ending.cancel()
            raise
        if self.status == "failed":
            self._ending.result()
        return self

    async def _follow(self, told: _Told) -> RunResult:
        return read_result(await _follow(self._call, told, self._take))

    def _take(self, stream: Stream, text: str) -> Awaitable[None] | None:
        self._printed.take(stream, text)
        self._wake()
        return None if self._on_output is None else self._on_output(stream, text)

    def _end(self, ending: asyncio.Task[RunResult]) -> None:
        self._printed.end()
        self._wake()
        # `result()` raises an error, which asyncio then does not log at the end of the program.
        _ = ending.cancelled() or ending.exception()

    def _wake(self) -> None:
        self._more.set()
        self._more = asyncio.Event()


class CodeSandbox(_AwaitingRuns, AnySandbox):
    """Runs Python in fresh interpreters that can harm nothing; `code_sandbox()` makes it."""

    def __init__(self, options: SandboxOptions, log_handler: LogHandler | None) -> None:
        super().__init__(None, options, [])
        self._command = to_command_line(options)
        self._log_handler = log_handler

    async def eval(self, code: str, globals: dict[str, Any] | None = None) -> RunSuccess | RunError:
        """Runs code in a fresh interpreter; gives status, output lines, and the value or the error.

        Args:
            code: Python code to run.
            globals: Names bound before the code runs, as for `run()`.

        Raises:
            As `run()` does.
        """
        result = await self.run(code, globals, on_output=self._log_output)
        output = result.output.split("\n") if result.output else []
        status = result.status
        if status == "success":
            return {"status": status, "output": output, "return_value": result.value}
        return {"status": status, "output": output, "error": f"{result.error}\n"}

    def session(self) -> CodeSession:
        return CodeSession(self)

    async def install(self, *requirements: str) -> None:
        wanted = [*self._dependencies, *requirements]
        check_installed(read_result(await self._call(run_message("", dependencies=wanted))))
        self._dependencies = wanted

    def _log_output(self, stream: Stream, text: str) -> None:
        if self._log_handler is not None:
            for line in text.removesuffix("\n").split("\n"):
                self._log_handler("info" if stream == "stdout" else "warning", line)

    async def __aenter__(self) -> Self:
        if self._lease is not None:
            raise SandboxError("The sandbox is open already: use another `code_sandbox()` beside it.")
        # Not in a thread: the process would stay if the task were cancelled meanwhile.
        self._lease = Lease(self._command, self._log_handler)
        try:
            await asyncio.wrap_future(self._lease.launcher.ready)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            # A cancelled task waits for the end, too, so that nothing stays.
            await asyncio.shield(asyncio.to_thread(lease.close))


class CodeSession(_AwaitingRuns, AnySession):
    __doc__ = AnySession.__doc__

    async def fork(self) -> CodeSession:
        copy = CodeSession(self)
        check_end(await self._call(self._fork_message(copy)))
        return copy

    async def close(self) -> None:
        if self._share.has_session(self._number):
            check_end(await self._call(self._close_message()))
            self._share.forget_session(self._number)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def code_sandbox(*, log_handler: LogHandler | None = None, **options: Unpack[SandboxOptions]) -> CodeSandbox:
    """Creates a sandbox for code that a language model wrote.

    ```python
    async with code_sandbox(dependencies=["numpy"]) as sandbox:
        print(await sandbox.eval("import numpy; numpy.arange(3).sum()"))
    ```

    Entering it installs the packages if they are not in the cache; leaving it leaves nothing running. Sandboxes with
    equal options share their processes.

    Unlike in the predecessor, `allow_networking` is off unless it is given.

    Args:
        log_handler: Called with level and text of each line that the installation and the sandbox log, and that
        `eval()` prints.
        options: See `SandboxOptions`.

    Raises:
        SandboxError: On entering, if it cannot start; the message says the remedy.
    """
    return CodeSandbox(options, log_handler)
