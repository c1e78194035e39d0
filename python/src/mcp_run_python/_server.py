"""Servers of MCP: the predecessor's functions."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from ._errors import SandboxError
from ._log import LogHandler, read_log
from ._options import Option, SandboxOptions, check_names, to_command_line
from ._program import find_deno, program_folder, run_deno, to_arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack

Mode = Literal["stdio", "streamable_http", "streamable_http_stateless", "example"]


class ServerOptions(TypedDict, total=False):
    """Options of a server."""

    http_port: int | None
    """Port to listen on, over HTTP; 3001 if None."""
    dependencies: Sequence[str] | None
    """Packages to install, as requirements."""
    return_mode: Literal["json", "xml"]
    """Form of a result's text."""
    deps_log_handler: LogHandler | None
    """Called with level and text of the installation's log."""
    allow_networking: bool | Sequence[str]
    """True lets code reach any host of the internet, a list these hosts. Off by default, unlike in the predecessor."""
    error_results: bool
    """Whether failing code is a result like others, and not an error of MCP."""
    verbose: bool
    """Whether the server logs all that it does."""


@dataclass(frozen=True)
class DenoEnv:
    """The start of a server: `deno` with these arguments, in this folder."""

    cwd: Path
    args: list[str]
    env: dict[str, str] = field(default_factory=lambda: {**os.environ}, repr=False)
    """This process's variables; clients of MCP pass few of them on by themselves."""


def run_mcp_server(mode: Mode, **options: Unpack[ServerOptions]) -> int:
    """Installs dependencies, then serves MCP on stdin and stdout, or over HTTP, until the server is ended.

    Args:
        mode: How clients reach the server; `example` runs a script as a client would.
        options: See `ServerOptions`.

    Returns:
        The exit code.

    Raises:
        As `prepare_deno_env()` does.
    """
    with prepare_deno_env(mode, **options) as env:
        return run_deno(env.args, env.cwd)


@contextmanager
def prepare_deno_env(mode: Mode, **options: Unpack[ServerOptions]) -> Iterator[DenoEnv]:
    """Installs dependencies, and gives the arguments that start the server. Folder and packages stay for the next time.

    Raises:
        SandboxError: If the packages cannot be installed; with the remedy.
        TypeError: If an option has an unknown name, or a text stands for a list.
        ValueError: If there is no such mode, or a port is named for a server that listens on none.
    """
    check_names("A server", options, ServerOptions)
    if mode not in get_args(Mode):
        raise ValueError(f'Cannot start a server in the mode "{mode}". Use {", ".join(get_args(Mode))}.')
    port = options.get("http_port")
    if port is not None and mode not in ("streamable_http", "streamable_http_stateless"):
        raise ValueError(
            f"Cannot use http_port with {mode}: only streamable_http and streamable_http_stateless listen."
        )
    wanted: SandboxOptions = {"dependencies": options.get("dependencies")}
    _install(to_command_line(wanted).args, options.get("deps_log_handler"))
    flags: dict[str, Option] = {
        "return_mode": options.get("return_mode", "xml"),
        "error_results": options.get("error_results", False),
    }
    if port is not None:
        flags["port"] = port
    if options.get("verbose"):
        flags["log_level"] = "debug"
    served: SandboxOptions = {**wanted, "allow_networking": options.get("allow_networking", False), "options": flags}
    args = [*to_command_line(served).args, mode.replace("_", "-")]
    yield DenoEnv(program_folder(), to_arguments(args))


@asynccontextmanager
async def async_prepare_deno_env(mode: Mode, **options: Unpack[ServerOptions]) -> AsyncIterator[DenoEnv]:
    """`prepare_deno_env()` for programs with an event loop."""
    prepared = prepare_deno_env(mode, **options)
    env = await asyncio.to_thread(prepared.__enter__)
    try:
        yield env
    finally:
        prepared.__exit__(None, None, None)


def _install(packages: Sequence[str], handler: LogHandler | None) -> None:
    process = subprocess.Popen(
        [find_deno(), *to_arguments([*packages, "install"])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    last_words = read_log(process.stderr, lambda: [handler] if handler else [])
    code = process.wait()
    if code != 0:
        raise SandboxError(last_words(code))
