"""The processes of sandboxes: shared, replaced, and gone at the end."""

import os
import subprocess
import sys
import threading

import pytest

from mcp_run_python import Sandbox, SandboxError, _launcher


def test_equal_sandboxes_share_a_process_that_ends_with_the_last():
    first, second = Sandbox(), Sandbox()
    process = first._launcher._process
    assert second._launcher._process is process
    with Sandbox(memory=512) as other:
        assert other._launcher._process is not process
    first.close()
    first.close()
    assert second.run("2").value == 2
    second.close()
    assert process.poll() == 0
    assert not _launcher._shared
    assert not [thread for thread in threading.enumerate() if "mcp_run_python" in thread.name]


def test_a_launcher_that_dies_is_told_and_replaced():
    with Sandbox() as sandbox:
        sandbox._launcher._process.kill()
        with pytest.raises(SandboxError, match="ended with code"):
            while True:
                sandbox.run("1")
        with Sandbox() as next_one:
            assert next_one.run("1").value == 1


def test_a_program_that_ends_without_closing_leaves_nothing():
    code = """
from mcp_run_python import Sandbox
sandbox = Sandbox()
sandbox.run("1")
print(sandbox._launcher._process.pid)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    # It is not this process's child, so it can only be asked for.
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
