"""Sandboxes for programs with an event loop: agents and servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from ._calls import File, check_end, check_installed, read_result, run_message
from ._errors import SandboxError
from ._launcher import Lease, Message
from ._log import LogHandler
from ._options import SandboxOptions, to_command_line
from ._results import Failure, RunResult
from ._sandbox import Stream
from ._tool import ToAnswer, ToolPlace, read_answer

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

OnOutput = Callable[[Stream, str], Awaitable[None] | None]


class RunSuccess(TypedDict):
    """What `eval()` gives for code that came to its end."""

    status: Literal["success"]
    output: list[str]
    return_value: Any


class RunError(TypedDict):
    """What `eval()` gives for code that did not."""

    status: Failure
    output: list[str]
    error: str


class _Runs(ToolPlace):
    """Runs code on a launcher, in a fresh interpreter or in a session."""

    @property
    def _share(self) -> Lease:
        raise NotImplementedError

    async def run(
        self,
        code: str,
        globals: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = None,
        files: Mapping[str, File] | None = None,
        on_output: OnOutput | None = None,
    ) -> RunResult:
        """Runs code, and waits for its end. Cancelling the task ends the run.

        Args:
            code: Python; top-level `await` works, and the value of the last expression comes back.
            globals: Names bound before the code runs; JSON has to be able to carry their values.
            timeout: Seconds after which the code is stopped; the sandbox's own if None.
            files: Files to put into `/workspace`, by path: bytes, text, or the path of a file of this machine.
            on_output: Takes each piece of output as it comes; may be a coroutine function.

        Raises:
            TypeError: If an argument has a wrong type, or JSON cannot carry a global variable.
            ValueError: If an argument is larger than it may be.
            SandboxError: If the sandbox is not open, or has ended.
        """
        return read_result(await self._call(self._ask(code, globals, timeout, files), on_output))

    def as_tool(self, to_answer: ToAnswer | None = None) -> Callable[[str], Coroutine[Any, Any, Any]]:
        """Gives `run_python_code(python_code)`, a function that frameworks for agents take as a tool.

        It has a name, a docstring and types for the model. What it returns is a text for the model, after failing
        code, too.

        Args:
            to_answer: Makes another answer of that text and the result, such as one that has the pictures.
        """

        async def run_python_code(python_code: str) -> Any:
            return read_answer(await self._call(self._ask(python_code, as_text=True)), to_answer)

        return self._name_tool(run_python_code, has_pictures=to_answer is not None)

    async def _call(self, message: Message, on_output: OnOutput | None = None) -> Message:
        loop = asyncio.get_running_loop()
        told: asyncio.Queue[Message] = asyncio.Queue()

        def take(message: Message) -> None:
            try:
                loop.call_soon_threadsafe(told.put_nowait, message)
            except RuntimeError:
                pass  # the loop has been closed, and nothing waits for this call

        call = self._share.call(message, take)
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


class CodeSandbox(_Runs):
    """Runs Python in fresh interpreters that can harm nothing; `code_sandbox()` makes it."""

    def __init__(self, options: SandboxOptions, log_handler: LogHandler | None) -> None:
        super().__init__(options, [])
        self._command = to_command_line(options)
        self._log_handler = log_handler
        self._lease: Lease | None = None

    @property
    def _share(self) -> Lease:
        if self._lease is None:
            raise SandboxError("The sandbox is not open: use it inside `async with code_sandbox() as sandbox`.")
        return self._lease

    async def eval(self, code: str, globals: dict[str, Any] | None = None) -> RunSuccess | RunError:
        """Runs code in a fresh interpreter; gives status, output lines, and the value or the error.

        Args:
            code: Python code to run.
            globals: Names bound before the code runs.

        Raises:
            As `run()` does.
        """
        result = await self.run(code, globals, on_output=self._log_output)
        output = result.output.split("\n") if result.output else []
        status = result.status
        if status == "success":
            return {"status": status, "output": output, "return_value": result.value}
        return {"status": status, "output": output, "error": str(result.error)}

    def session(self) -> CodeSession:
        """Opens an interpreter that keeps its state from run to run."""
        return CodeSession(self._share, self._options, [*self._dependencies], self._share.open_session())

    async def install(self, *requirements: str) -> None:
        """Installs packages for the runs and sessions to come, within `allow_install`.

        Raises:
            InstallError: If they may not be installed, or cannot be.
        """
        wanted = [*self._dependencies, *requirements]
        check_installed(read_result(await self._call(run_message("", dependencies=wanted))))
        self._dependencies = wanted

    def _log_output(self, stream: Stream, text: str) -> None:
        if self._log_handler is not None:
            self._log_handler("info" if stream == "stdout" else "warning", text)

    async def __aenter__(self) -> Self:
        if self._lease is not None:
            raise SandboxError("The sandbox is open already: use another `code_sandbox()` beside it.")
        # Not in a thread: a task that is cancelled meanwhile would leave the process.
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
            # A cancelled task waits for the end, too: nothing is to be left.
            await asyncio.shield(asyncio.to_thread(lease.close))


class CodeSession(_Runs):
    """An interpreter that keeps its state from run to run.

    A run that fails, times out or is cancelled leaves the state as it is, unless its interpreter had to be killed:
    then each run has the status `session-lost`.
    """

    def __init__(self, lease: Lease, options: SandboxOptions, dependencies: list[str], number: int) -> None:
        super().__init__(options, dependencies, number)
        self._lease = lease

    @property
    def _share(self) -> Lease:
        return self._lease

    async def fork(self) -> CodeSession:
        """Opens a copy of the session, as it is after the runs before; both go on.

        Raises:
            SandboxError: If it cannot be copied; the message has the reasons.
        """
        copy = CodeSession(self._lease, self._options, [*self._dependencies], self._lease.open_session())
        check_end(await self._call({"type": "fork", "session": self._session, "copy": copy._session}))
        return copy

    async def close(self) -> None:
        """Ends the interpreter, with all that is in it."""
        if self._session is not None and self._lease.has_session(self._session):
            check_end(await self._call({"type": "close", "session": self._session}))
            self._lease.forget_session(self._session)

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
        log_handler: Takes level and text of what the installation and the sandbox log, and of what `eval()` prints.
        options: See `SandboxOptions`.

    Raises:
        SandboxError: On entering, if it cannot start; the message says the remedy.
    """
    return CodeSandbox(options, log_handler)
