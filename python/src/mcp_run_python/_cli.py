"""The command `mcp-run-python`: Deno's, with its options, signals and exit codes."""

from __future__ import annotations

import os
import subprocess
import sys

from ._program import find_deno, to_arguments


def main() -> int:
    command = [find_deno(), *to_arguments(sys.argv[1:])]
    if os.name != "nt":
        # This process becomes Deno's, which so gets all signals.
        os.execv(command[0], command)
    process = subprocess.Popen(command)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            pass  # Deno has got it, too


if __name__ == "__main__":
    sys.exit(main())
