"""Runs Python that a language model wrote, safely, in sandboxes of this machine."""

from importlib.metadata import PackageNotFoundError as _NotFound
from importlib.metadata import version as _version

from ._code_sandbox import CodeRun, CodeSandbox, CodeSession, RunError, RunSuccess, code_sandbox
from ._errors import InstallError, SandboxError
from ._log import LogHandler, LogLevel
from ._options import SandboxOptions
from ._results import Error, Image, Page, RunResult, Status, Timings
from ._sandbox import Run, Sandbox, Session
from ._server import DenoEnv, ServerOptions, async_prepare_deno_env, prepare_deno_env, run_mcp_server

try:
    __version__ = _version("mcp-run-python")
except _NotFound:  # the sources, without an installation
    __version__ = "0"

__all__ = [
    "CodeRun",
    "CodeSandbox",
    "CodeSession",
    "DenoEnv",
    "Error",
    "Image",
    "InstallError",
    "LogHandler",
    "LogLevel",
    "Page",
    "Run",
    "RunError",
    "RunResult",
    "RunSuccess",
    "Sandbox",
    "SandboxError",
    "SandboxOptions",
    "ServerOptions",
    "Session",
    "Status",
    "Timings",
    "__version__",
    "async_prepare_deno_env",
    "code_sandbox",
    "prepare_deno_env",
    "run_mcp_server",
]
