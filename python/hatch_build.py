"""Puts the program of the repository into the package, wherever that is built: `pip install ./python`, of a git URL, too."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAM = "mcp_run_python/program"
REPOSITORY = Path(__file__).parent.parent
REMEDY = "In a clone of the whole repository, `deno task build` makes it: `pip install dist/*.whl`."


def read_version() -> str:
    """The version of the program; a source distribution has it in its metadata."""
    try:
        return str(json.loads((REPOSITORY / "deno.json").read_text())["version"])
    except OSError as error:
        raise RuntimeError(f"Cannot put the program into the package: {error}. {REMEDY}") from None


class ProgramHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """Deno writes the program, and is all that the package depends on."""
        is_there = self._is_packaged or "MCP_RUN_PYTHON_DENO" in os.environ
        return [] if is_there else self.metadata.core.dependencies

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable install runs the repository itself.
        if self._is_packaged or version == "editable":
            return
        self._folder = tempfile.TemporaryDirectory()
        _write_program(self._folder.name)
        is_source = self.target_name == "sdist"
        build_data["force_include"][self._folder.name] = f"src/{PROGRAM}" if is_source else PROGRAM
        if is_source:
            build_data["force_include"][str(REPOSITORY / "LICENSE")] = "LICENSE"

    @property
    def _is_packaged(self) -> bool:
        """Whether this is a source distribution, which has the program."""
        return Path(self.root, "src", PROGRAM).is_dir()


def _write_program(folder: str) -> None:
    # Of PATH, which has the programs of the dependencies.
    deno = os.environ.get("MCP_RUN_PYTHON_DENO", "deno")
    script = REPOSITORY / "scripts/build/program.ts"
    try:
        subprocess.run([deno, "run", "-A", script, folder], check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(
            f"Cannot put the program into the package: {error}\n{getattr(error, 'stderr', '')}\n{REMEDY}"
        ) from None
