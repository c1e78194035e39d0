"""The command `mcp-run-python`: Deno's, with its options, signals and exit codes."""

from __future__ import annotations

import os
import sys

from ._errors import SandboxError
from ._program import deno_variables, find_deno, run_deno, to_arguments


def main() -> int:
    args = to_arguments(sys.argv[1:])
    try:
        deno = find_deno()
    except SandboxError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if os.name != "nt":
        # This process becomes Deno's, which so gets all signals.
        os.execve(deno, [deno, *args], deno_variables())
    return run_deno(args)
