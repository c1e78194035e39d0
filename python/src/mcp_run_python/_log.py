"""The lines that a launcher writes to stderr."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, Literal

LogLevel = Literal["debug", "info", "warning", "error"]
LogHandler = Callable[[LogLevel, str], None]

_logger = logging.getLogger("mcp_run_python")
_logger.addHandler(logging.NullHandler())  # else Python would print warnings on stderr
_LAST_LINES = 50
_LEVELS: dict[str, LogLevel] = {"debug": "debug", "info": "info", "warning": "warning", "error": "error"}
_SENTENCE = re.compile("(error|warning): (.*)", re.DOTALL)
_LOG_LINE = re.compile(rf"\S+Z ({'|'.join(_LEVELS)}) (.*)", re.DOTALL)


def read_log(pipe: IO[bytes], handlers: Callable[[], Sequence[LogHandler]]) -> Callable[[int], str]:
    """Hands each line on until the end: to the handlers, or to the logger `mcp_run_python` if there is none.

    Returns:
        A function that makes the message of an error from the exit code.
    """
    lines: deque[str] = deque(maxlen=_LAST_LINES)
    with pipe:
        for line in pipe:
            lines.append(line.decode(errors="replace").rstrip("\n"))
            level, text = _to_level(lines[-1])
            takers = handlers()
            if not takers:
                _logger.log(logging.getLevelName(level.upper()), text)
            for take in takers:
                try:
                    take(level, text)
                except Exception:
                    _logger.exception("A log handler failed.")
    return lambda code: _last_words([*lines], code)


def _last_words(lines: list[str], code: int) -> str:
    starts = [at for at, line in enumerate(lines) if line.startswith("error: ")]
    if starts:
        return "\n".join(lines[starts[-1] :]).removeprefix("error: ")
    return "\n".join([f"mcp-run-python ended with code {code}.", *lines])


def _to_level(line: str) -> tuple[LogLevel, str]:
    match = _SENTENCE.match(line) or _LOG_LINE.match(line)
    if match is None:
        return "info", line
    return _LEVELS[match[1]], match[2]
