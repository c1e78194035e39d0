"""The tool that frameworks for agents take."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from ._calls import read_result
from ._launcher import Message
from ._options import SandboxOptions
from ._results import RunResult
from ._words import hints_in_own_words

ToAnswer = Callable[[str, RunResult], Any]
"""Makes a tool's answer of the text for the model, and the result."""


def describe_tool(options: SandboxOptions, installed: Sequence[str], *, keeps_state: bool, has_pictures: bool) -> str:
    """The docstring by which a model knows the tool of a sandbox, or of a session, which keeps its state."""
    where = "a sandbox" if options.get("allow_networking") else "a sandbox without network"
    packages = [*(options.get("dependencies") or ()), *installed]
    sentences = [
        f"Runs Python code in {where}, and returns what it printed and the value of its last expression.",
        _describe_files(options.get("mounts", ())),
        "Variables, imports and files are kept from call to call."
        if keeps_state
        else "Every call starts from nothing: no variables, files or imports are kept, so send complete code.",
        "There is neither a shell nor pip.",
        f"Installed beside the standard library: {', '.join(packages)}."
        if packages
        else "The standard library is there, and no other package.",
    ]
    if has_pictures:
        sentences.append("Plots of matplotlib and what display(object) is given come back as pictures.")
    return f"""{" ".join(sentences)}

        Args:
            python_code: Python to run. Top-level await works. The value of the last expression is returned.
        """


def read_answer(message: Message, to_answer: ToAnswer | None) -> Any:
    """Reads the end of a run that was asked for as text.

    Raises:
        SandboxError: If the launcher has ended.
    """
    try:
        result = read_result(message)
    except ValueError as error:
        return f"<status>invalid-arguments</status>\n<error>\n{error}\n</error>"
    text = hints_in_own_words(message["text"])
    return text if to_answer is None else to_answer(text, result)


def _describe_files(mounts: Sequence[str]) -> str:
    own = "Files that it writes to /workspace, its working folder, come back."
    if not mounts:
        return f"It has no access to the user's files. {own}"
    return f"Of the user's files it has {', '.join(map(_guest_of, mounts))}. {own}"


def _guest_of(mount: str) -> str:
    match = re.fullmatch(r"(.+?)(?::(/.*?))?(?::(?:ro|rw))?", mount)
    assert match is not None
    return match[2] or f"/mnt/{PurePath(match[1]).name}"
