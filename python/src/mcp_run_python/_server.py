"""Servers of MCP: the predecessor's functions."""

from __future__ import annotations

import asyncio
import re
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, get_args

from ._errors import SandboxError
from ._log import LogHandler, read_log
from ._options import Option, SandboxOptions, check_names, to_command_line
from ._program import deno_variables, find_deno, run_deno, to_arguments

if TYPE_CHECKING:
    from typing_extensions import Unpack

_HANDED_ON = re.compile(
    r"(MCP|DENO|OTEL|XDG|SSL_CERT)_\w+|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE|NPM_CONFIG_REGISTRY|NETRC"
    "|(https?|no)_proxy|PATH|HOME|USERPROFILE|(LOCAL)?APPDATA|SYSTEMROOT|TE?MP|TMPDIR",
    re.IGNORECASE,
)
"""The variables from which install and server have settings, places of caches, proxies and certificates. The file of
variables leaves out others, which may be secrets of other programs."""

Mode = Literal["stdio", "streamable_http", "streamable_http_stateless", "example"]


class ServerOptions(TypedDict, total=False):
    """Options of a server."""

    http_port: int | None
    """Port to listen on, over HTTP; 3001 if None."""
    dependencies: Sequence[str] | None
    """Packages to install, as requirements."""
    return_mode: Literal["json", "xml"]
    """Form of a result's text; `"xml"` if neither this nor a variable says another."""
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
    """The start of a server: Deno with these arguments, in this folder.

    The arguments name a private file with the variables that the installation used: those that a client passes on count
    first, and it may pass on none.
    """

    cwd: Path
    """This process's folder, at which relative paths of options start."""
    args: list[str]
    command: str = field(default_factory=find_deno)
    """Deno's path: the folder of its program is not on `PATH` in each virtual environment."""
    env: dict[str, str] = field(default_factory=deno_variables, repr=False)
    """This process's variables, for a server that needs others, too, such as those that MCP servers of code mode get."""


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
    return run_deno(to_arguments(_prepare(mode, options)))


@contextmanager
def prepare_deno_env(mode: Mode, **options: Unpack[ServerOptions]) -> Iterator[DenoEnv]:
    """Installs dependencies, and gives the arguments that start the server, which then needs no network.

    The arguments are good until the end of the context; packages stay for the next time.

    Raises:
        SandboxError: If the packages cannot be installed; with the remedy.
        TypeError: If an option has an unknown name, or a text stands for a list.
        ValueError: If there is no such mode, or a port is named for a server that listens on none.
    """
    args = _prepare(mode, options)
    # No other user can look into it, as all can at arguments.
    with tempfile.TemporaryDirectory(prefix="mcp-run-python-") as folder:
        file = Path(folder, "variables")
        file.write_bytes("".join(_to_lines(deno_variables())).encode("utf-8", "surrogateescape"))
        yield DenoEnv(Path.cwd(), to_arguments(args, f"--env-file={file}"))


@asynccontextmanager
async def async_prepare_deno_env(mode: Mode, **options: Unpack[ServerOptions]) -> AsyncIterator[DenoEnv]:
    """`prepare_deno_env()` for programs with an event loop."""
    prepared = prepare_deno_env(mode, **options)
    env = await asyncio.to_thread(prepared.__enter__)
    try:
        yield env
    finally:
        prepared.__exit__(None, None, None)


def _prepare(mode: Mode, options: ServerOptions) -> list[str]:
    """Installs dependencies, and gives the command line of the server."""
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
    flags: dict[str, Option] = {name: options[name] for name in ("return_mode", "error_results") if name in options}
    if port is not None:
        flags["port"] = port
    if options.get("verbose"):
        flags["log_level"] = "debug"
    served: SandboxOptions = {**wanted, "allow_networking": options.get("allow_networking", False), "options": flags}
    return [*to_command_line(served).args, mode.replace("_", "-")]


def _to_lines(variables: Mapping[str, str]) -> Iterator[str]:
    """Lines of a file of variables as Deno reads it: quoted texts, without an escape of their own quote."""
    for name, value in variables.items():
        if not _HANDED_ON.fullmatch(name):
            continue
        quote = next((one for one in "'`" if one not in value), None)
        if quote is None or "\r" in value:
            raise SandboxError(
                f"Cannot hand the variable {name} on to the server as it has both ' and `, or a carriage return. "
                "Set another value, or unset it and give it to the client of the server."
            )
        yield f"{name}={quote}{value}{quote}\n"


def _install(packages: Sequence[str], handler: LogHandler | None) -> None:
    process = subprocess.Popen(
        [find_deno(), *to_arguments([*packages, "install"])],
        stdin=subprocess.DEVNULL,
        # What is installed, also if all of it was there.
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=deno_variables(),
    )
    assert process.stdout is not None
    last_words = read_log(process.stdout, lambda: [handler] if handler else [])
    code = process.wait()
    if code != 0:
        raise SandboxError(last_words(code))
