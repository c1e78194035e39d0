"""The messages of calls, for the sandboxes of both kinds."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import InstallError, SandboxError
from ._launcher import Message
from ._results import RunResult, to_result
from ._to_json import to_json
from ._words import in_own_words

File = bytes | str | os.PathLike[str]
"""Contents, text to write as UTF-8, or the path of a file of this machine."""

_LONGEST_WAIT = 86_400
"""Time that a run can take."""


def run_message(
    code: str,
    *,
    globals: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    engine: str | None = None,
    files: Mapping[str, File] | None = None,
    dependencies: Sequence[str] = (),
    session: int | None = None,
    as_text: bool = False,
) -> dict[str, Any]:
    """Makes the message that asks for a run.

    Raises:
        TypeError: If an argument has a wrong type, or JSON cannot carry a global variable.
    """
    if not isinstance(code, str):
        raise TypeError(f"code must be a text, and not {code!r}.")
    for name, mapping in {"globals": globals, "files": files}.items():
        if mapping is not None and not isinstance(mapping, Mapping):
            raise TypeError(f"{name} must be a dictionary, and not {mapping!r}.")
    message: dict[str, Any] = {"type": "run", "code": code}
    if globals:
        message["globals"] = {name: _checked(name, value) for name, value in globals.items()}
    if timeout is not None:
        message["timeout"] = timeout
    if engine is not None:
        message["engine"] = engine
    if files:
        message["files"] = {path: _to_bytes(file) for path, file in files.items()}
    if dependencies:
        message["dependencies"] = [*dependencies]
    if session is not None:
        message["session"] = session
    if as_text:
        message["asText"] = True
    return message


def check_wait(wait: float) -> None:
    """
    Raises:
        TypeError: If it is not a number.
        ValueError: If it is not a time that a caller can wait.
    """
    remedy = "0 does not wait for the end of the run, and None waits for all of it"
    if not isinstance(wait, (int, float)) or isinstance(wait, bool):
        raise TypeError(f"wait must be a number of seconds, and not {wait!r}: {remedy}.")
    if not 0 <= wait <= _LONGEST_WAIT:
        raise ValueError(f"wait must be from 0 to {_LONGEST_WAIT} seconds, and not {wait!r}: {remedy}.")


def read_result(message: Message) -> RunResult:
    """Reads the end of a run.

    Raises:
        ValueError: If code, globals, files or timeout are larger than they may be.
        SandboxError: If the launcher has ended.
    """
    check_end(message)
    return to_result(message["result"], message["written"])


def check_end(message: Message) -> None:
    if message["type"] != "failed":
        return
    if message["kind"] in ("RangeError", "TypeError"):
        raise ValueError(in_own_words(message["message"]))
    raise SandboxError(in_own_words(message["message"]))


def check_installed(result: RunResult) -> None:
    if result.error is not None:
        raise InstallError(result.error.traceback)


def _checked(name: str, value: Any) -> Any:
    try:
        text = json.dumps(value, default=to_json)
        return json.loads(text, parse_constant=_refuse_float, parse_int=_to_exact_int)
    except (TypeError, ValueError) as error:
        raise TypeError(f'Cannot send the global variable "{name}" to the sandbox: {error}.') from error


def _refuse_float(text: str) -> None:
    raise ValueError(f"JSON has no form for {text}: send None, or a text that the code gives to float()")


def _to_exact_int(text: str) -> int:
    value = int(text)
    if abs(value) < 2**53:
        return value
    raise ValueError("an integer beyond 2**53 - 1 would be rounded: send a text that the code gives to int()")


def _to_bytes(file: File) -> bytes:
    if isinstance(file, bytes):
        return file
    return file.encode() if isinstance(file, str) else Path(file).read_bytes()
