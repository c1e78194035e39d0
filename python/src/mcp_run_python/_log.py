"""The lines that a launcher writes to stderr."""

from __future__ import annotations

import logging
import re
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, Any, Literal

from ._words import in_own_words

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

    In a program that has not set up logging, the user reads them: an install may take minutes.

    Returns:
        A function that makes the message of an error from the exit code.
    """
    lines: deque[str] = deque(maxlen=_LAST_LINES)
    tell = _logger_or_user()
    with pipe:
        for line in pipe:
            lines.append(line.decode(errors="replace").rstrip("\n"))
            level, text = _to_level(lines[-1])
            takers = handlers()
            if not takers:
                tell(level, text)
            for take in takers:
                try:
                    take(level, text)
                except Exception:
                    _logger.exception("A log handler failed.")
    return lambda code: in_own_words(_last_words([*lines], code))


def _logger_or_user() -> LogHandler:
    shown: Any = None

    def tell(level: LogLevel, text: str) -> None:
        nonlocal shown
        handlers = [*_logger.handlers, *logging.getLogger().handlers]
        if any(not isinstance(handler, logging.NullHandler) for handler in handlers):
            return _logger.log(logging.getLevelName(level.upper()), text)
        if level == "error" or text == "See mcp-run-python --help.":
            return  # which is raised
        if not _is_notebook():
            print(f"mcp-run-python: {text}", file=sys.stderr)
            return
        # The cell that waits shows one line, which changes.
        from IPython.display import display  # type: ignore[import-not-found]

        line = {"text/plain": f"mcp-run-python: {text}"}
        if shown is None:
            shown = display(line, raw=True, display_id=True)
        else:
            shown.update(line, raw=True)

    return tell


def _is_notebook() -> bool:
    """Whether the kernel of a notebook runs this; a shell in a terminal has none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


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
