"""The processes of sandboxes: shared, replaced, and gone at the end."""

import os
import queue
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from mcp_run_python import Sandbox, SandboxError, _launcher


def test_equal_sandboxes_share_a_process_that_ends_with_the_last():
    first, second = Sandbox(), Sandbox()
    process = first._lease.launcher._process
    assert second._lease.launcher._process is process
    with Sandbox(memory=512) as other:
        assert other._lease.launcher._process is not process
    first.close()
    first.close()
    assert second.run("2").value == 2
    with pytest.raises(SandboxError, match="closed: create another one"):
        first.run("1")
    second.close()
    assert process.poll() == 0
    assert not _launcher._shared
    assert not [thread for thread in threading.enumerate() if "mcp_run_python" in thread.name]


def test_a_sandbox_that_is_closed_leaves_nothing_in_a_shared_process():
    with Sandbox() as other:
        process = other._lease.launcher._process.pid
        sandbox, told = Sandbox(), queue.SimpleQueue()
        session = sandbox.session()
        assert session.run("x = 1").value is None
        endless = "print('on', flush=True)\nwhile True: pass"
        threads = [
            threading.Thread(target=lambda run=run: told.put(run(endless, on_output=lambda *_: told.put("on")).status))
            for run in (sandbox.run, session.run)
        ]
        for thread in threads:
            thread.start()
        assert [told.get(), told.get()] == ["on", "on"]
        sandbox.close()
        assert [told.get(), told.get()] == ["cancelled", "cancelled"]
        for use in (sandbox.run, session.run):
            with pytest.raises(SandboxError, match="is closed"):
                use("1")
        session.close()
        assert other.run("1").value == 1
        assert other._lease.launcher._process.pid == process


def test_a_path_is_that_of_the_folder_in_which_it_was_given(tmp_path, monkeypatch):
    names = ["one", "two"]
    for name in names:
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "data" / "name").write_text(name)
    with ExitStack() as stack:
        for name in names:
            monkeypatch.chdir(tmp_path / name)
            sandbox = stack.enter_context(Sandbox(mounts=["data"]))
            assert sandbox.run("open('/mnt/data/name').read()").value == name


def test_a_launcher_that_dies_is_told_and_replaced():
    with Sandbox() as sandbox:
        sandbox._lease.launcher._process.kill()
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
print(sandbox._lease.launcher._process.pid)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    pid = int(done.stdout)
    # It is not this process's child, so it can only be asked for.
    while True:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_is_told_to_create_its_own():
    with Sandbox() as sandbox:
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                sandbox.run("1")
            except SandboxError as error:
                os.write(writer, str(error).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader) as told:
            assert "create one in each process" in told.read()
        os.waitpid(pid, 0)
        assert sandbox.run("1").value == 1
