"""Messages of the launcher, in the words of this library: `dependencies=` in the place of `--deps`."""

from __future__ import annotations

import json
import re

LISTS = {"deps": "dependencies", "allow-net": "allow_networking", "allow-install": "allow_install", "mount": "mounts"}
"""Arguments of a sandbox that are lists, by their options of the command line."""
SINGLES = ("timeout", "memory", "cache_dir", "offline")
"""Those that have one value, and their option's name."""

_PHRASES = {
    "\nSee mcp-run-python --help.": "",
    "Ask the user to start the server with": "Create the sandbox with",
    "ask the user to start the server with": "create the sandbox with",
    "the user can start the server with": "create the sandbox with",
    "that the user grants with": "of",
    "the call's timeout, or --timeout": "timeout=",
    "timeoutSeconds": "timeout",
    "maxTimeoutSeconds": "max_timeout",
    "MCP_RUN_PYTHON_ENV": "env=",
    "sent with the call (files)": "given by files=",
    "pass them in global_variables": "give them by globals=",
}
_PHRASE = re.compile("|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)))
# What begins a remedy that names an option.
_HINT = re.compile(r"(?:[Aa]llow more with|as writable:) --")
_FLAG = re.compile(r"(?P<before>with |: )?'?--(?P<flag>[a-z][a-z-]+)'?(?: (?P<value>[\w*/.[][^\s;]*[^\s;.,)>]))?")


def in_own_words(text: str) -> str:
    """A message of this program."""
    return _FLAG.sub(_to_argument, _PHRASE.sub(lambda found: _PHRASES[found[0]], text))


def hints_in_own_words(error: str) -> str:
    """An error of code, in which only some lines are this program's."""
    lines = error.split("\n")
    return "\n".join(in_own_words(line) if _PHRASE.search(line) or _HINT.search(line) else line for line in lines)


def _to_argument(found: re.Match[str]) -> str:
    before, flag, value = found["before"] or "", found["flag"], found["value"]
    own = flag.replace("-", "_")
    if flag in LISTS and before and value is not None:
        return f"{before}{LISTS[flag]}={json.dumps(value.split(','))}"
    name = f"{LISTS.get(flag, own)}=" if flag in LISTS or own in (*SINGLES, "env") else f"options={{{json.dumps(own)}: …}}"
    return f"{before}{name}" if value is None else f"{before}{name} {value}"
