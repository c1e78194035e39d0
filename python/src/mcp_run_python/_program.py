"""Where Deno and the program are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ._errors import SandboxError

_PACKAGE = Path(__file__).parent


def program_folder() -> Path:
    """The folder of the TypeScript sources: inside the wheel, or the repository of an editable install."""
    packaged = _PACKAGE / "program"
    return packaged if packaged.is_dir() else _PACKAGE.parents[2]


def find_deno() -> str:
    """The path of Deno: the variable `MCP_RUN_PYTHON_DENO`, or PyPI's wheel of it.

    Raises:
        SandboxError: If it is not there; with the remedy.
    """
    named = os.environ.get("MCP_RUN_PYTHON_DENO")
    if named:
        found = shutil.which(named)
        if found is None:
            raise SandboxError(
                f'Cannot start Deno: MCP_RUN_PYTHON_DENO is "{named}", which is not a program. '
                "Unset it, or have it name Deno."
            )
        return found
    try:
        from deno import find_deno_bin  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return os.fsdecode(find_deno_bin())
    except (ImportError, FileNotFoundError) as error:
        raise SandboxError(
            f"Cannot find Deno: {error}. Install it by `pip install deno`, or name it by MCP_RUN_PYTHON_DENO."
        ) from error


def deno_variables() -> dict[str, str]:
    """This process's variables; Deno's downloads trust `SSL_CERT_FILE`, the name that other programs use, too."""
    file = os.environ.get("DENO_CERT") or os.environ.get("SSL_CERT_FILE")
    return {**os.environ, **({"DENO_CERT": file} if file else {})}


def run_deno(args: Sequence[str]) -> int:
    """Runs Deno with these arguments, and gives its exit code."""
    process = subprocess.Popen([find_deno(), *args], env=deno_variables())
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # Deno has got it, too, and ends as it likes


def to_arguments(args: Sequence[str], *flags: str) -> list[str]:
    """Arguments of Deno that start the command line with these arguments; `flags` are for Deno itself."""
    return ["run", "-A", *flags, str(program_folder() / "cli.ts"), *args]
