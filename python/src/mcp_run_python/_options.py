"""Options of a sandbox, and the command line that they make."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from ._words import LISTS, SINGLES

__all__ = ["CommandLine", "Option", "SandboxOptions", "check_names", "to_command_line"]

Option = str | int | float | bool | Sequence[str]


class SandboxOptions(TypedDict, total=False):
    """Options of a sandbox; all have the defaults of the command line (docs/configuration.md)."""

    dependencies: Sequence[str] | None
    """Packages to install before the first run, as requirements: `["numpy", "rich>=14"]`."""
    allow_networking: bool | Sequence[str]
    """True lets code reach any host of the internet, a list these hosts: `["api.example.com:443"]`. Off by default."""
    allow_install: Sequence[str]
    """Names of packages that `install()` and metadata of code may ask for; `["*"]` is any."""
    timeout: float
    """Seconds of a run that names none; 60 by default."""
    memory: int
    """MiB that Python may take; 1024 by default."""
    mounts: Sequence[str]
    """Folders that code sees, as `HOST[:GUEST][:ro|rw]`; read-only at `/mnt/<name>` if not said."""
    env: Mapping[str, str]
    """Variables of the code's `os.environ`, which otherwise has none of yours."""
    cache_dir: str | os.PathLike[str]
    """Folder of installed packages."""
    offline: bool
    """Whether to touch no network and use the cache alone."""
    options: Mapping[str, Option]
    """Any other option of the command line, by name: `{"max_output": 100_000}`."""


@dataclass(frozen=True)
class CommandLine:
    """Arguments of the launcher, and variables that it gets beside this process's own."""

    args: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = field(default=(), repr=False)


def to_command_line(given: SandboxOptions) -> CommandLine:
    """Makes the launcher's command line.

    Raises:
        TypeError: If an option has an unknown name, or a text stands for a list.
    """
    check_names(
        "A sandbox", given, SandboxOptions, 'any option of the command line can be given as options={"NAME": …}'
    )
    args: list[str] = []
    for flag, name in LISTS.items():
        value: object = given.get(name)
        texts = ["*"] if value is True and flag == "allow-net" else _texts(name, value or ())
        for text in texts:
            args += [f"--{flag}", text]
    env = given.get("env") or {}
    for name, value in env.items():
        if not isinstance(value, str):
            raise TypeError(f"The variable {name} of env must be a text, and not {value!r}.")
    # All users of a machine read command lines; and a variable of the code's by its own name would be the launcher's,
    # too: LD_PRELOAD, MCP_RUN_PYTHON_MOUNT.
    variables = (("MCP_RUN_PYTHON_ENV", json.dumps({**env})),) if env else ()
    args += _to_flags({name: given.get(name) for name in SINGLES})
    args += _to_flags(given.get("options", {}))
    return CommandLine(tuple(args), variables)


def check_names(subject: str, given: Mapping[str, object], options: type, more: str = "") -> None:
    """
    Raises:
        TypeError: If an option has an unknown name.
    """
    known = options.__annotations__
    unknown = set(given) - set(known)
    if unknown:
        has = "; ".join(filter(None, [", ".join(known), more]))
        raise TypeError(f'{subject} has no option "{min(unknown)}". It has {has}.')


def _to_flags(options: Mapping[str, object]) -> list[str]:
    args: list[str] = []
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            args.append(flag)
        elif isinstance(value, (list, tuple)):
            for one in value:
                args += [flag, str(one)]
        elif value is not False and value is not None:
            args += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return args


def _texts(name: str, value: object) -> list[str]:
    texts = [*value] if isinstance(value, Iterable) and not isinstance(value, (str, bytes)) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{name} must be a list of texts, and not {value!r}.")
    return texts
