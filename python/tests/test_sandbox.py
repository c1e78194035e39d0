"""The sandboxes of scripts: real processes, real Python."""

import logging
import os
import queue
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest

from mcp_run_python import InstallError, Sandbox, SandboxError, _launcher


def test_a_run_gives_value_output_files_and_timings(tmp_path):
    path = tmp_path / "of this machine"
    path.write_bytes(b"\x01\x02")
    code = """
import os, sys
print("said")
print("warned", file=sys.stderr)
os.remove("text.txt")
open("out.bin", "wb").write(open("in.bin", "rb").read() * n)
"""
    with Sandbox() as sandbox:
        result = sandbox.run(code, {"n": 2}, files={"text.txt": "é", "in.bin": path})
    assert (result.status, result.value, result.error, result.exit_code) == ("success", 4, None, None)
    assert result.output == "said\nwarned"
    assert result.files == {"out.bin": b"\x01\x02\x01\x02"}
    assert result.removed == ("text.txt",)
    assert result.timings.wall > 0 and result.timings.waited >= 0
    assert result.raise_for_error() is result


def test_an_error_has_class_message_and_traceback():
    code = "class Odd(ValueError): pass\nraise Odd('no')"
    with Sandbox() as sandbox:
        result = sandbox.run(code)
        late = sandbox.run("while True: pass", timeout=0.5)
        ended = sandbox.run("raise SystemExit(3)")
    assert (result.status, result.exit_code) == ("run-error", 1)
    assert result.error is not None
    assert (result.error.type, result.error.message) == ("Odd", "no")
    assert result.error.traceback.startswith("Traceback (most recent call last):\n")
    assert str(result.error).endswith("Odd: no")
    with pytest.raises(SandboxError, match="Odd: no"):
        result.raise_for_error()
    assert late.error is not None
    assert (late.status, late.error.type) == ("timeout", "timeout")
    assert "0.5 s" in late.error.message
    assert ended.error is not None
    assert (ended.error.type, ended.exit_code) == ("SystemExit", 3)


def test_images_are_bytes_that_a_notebook_shows():
    code = """
class Drawing:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"
    def _repr_png_(self): return bytes.fromhex("89504e470d0a1a0a")
display(Drawing())
"""
    with Sandbox() as sandbox:
        (image,) = sandbox.run(code).images
    bundle = image._repr_mimebundle_()
    assert [*bundle] == ["text/html" if image.mime_type == "image/svg+xml" else image.mime_type]
    assert image.data.startswith((b"<svg", b"\x89PNG"))


def test_output_is_told_as_it_comes():
    told = []
    with Sandbox() as sandbox:
        result = sandbox.run(
            "import sys\nprint('one')\nprint('two', file=sys.stderr)",
            on_output=lambda stream, text: told.append((stream, text.strip())),
        )
    assert sorted(told) == [("stderr", "two"), ("stdout", "one")]
    assert result.output == "one\ntwo"


def test_a_callback_that_raises_ends_its_run_alone():
    def fail(stream, text):
        raise LookupError("the reader broke")

    with Sandbox() as sandbox:
        with pytest.raises(LookupError):
            sandbox.run("while True: print('more', flush=True)", on_output=fail)
        assert sandbox.run("1").value == 1


def test_a_session_keeps_state_and_is_copied():
    with Sandbox() as sandbox, sandbox.session() as session:
        session.run("x = 1")
        with session.fork() as copy:
            assert copy.run("x += 40; x").value == 41
        assert session.run("x").value == 1
        assert sandbox.run("'x' in globals()").value is False
        lost = session.run("import os; os._exit(1)")
        assert lost.status == "crashed"
        assert session.run("x").status == "session-lost"


def test_wrong_arguments_are_refused_by_name():
    with pytest.raises(TypeError, match='no option "tiemout"'):
        Sandbox(tiemout=5)
    with pytest.raises(TypeError, match="dependencies must be a list"):
        Sandbox(dependencies="numpy")
    with pytest.raises(TypeError, match=r"dependencies must be a list of texts, and not \[1\]"):
        Sandbox(dependencies=[1])
    with pytest.raises(TypeError, match="variable N of env must be a text, and not 1"):
        Sandbox(env={"N": 1})
    with pytest.raises(SandboxError, match='Cannot use "never" for --timeout'):
        Sandbox(timeout="never")
    with Sandbox() as sandbox:
        with pytest.raises(TypeError, match='global variable "when"'):
            sandbox.run("1", {"when": object()})
        with pytest.raises(TypeError, match="code must be a text, and not None"):
            sandbox.run(None)
        with pytest.raises(TypeError, match="globals must be a dictionary, and not"):
            sandbox.run("1", [1])
        with pytest.raises(ValueError, match="at most 600"):
            sandbox.run("1", timeout=9999)
        with pytest.raises(ValueError, match=r"\.\./x"):
            sandbox.run("1", files={"../x": b""})
        with sandbox.session() as session:
            session.run("x = 1")
            for wrong in ({"timeout": float("inf")}, {"timeout": float("nan")}, {"files": {1: b""}}):
                with pytest.raises(ValueError):
                    sandbox.run("1", **wrong)
            with pytest.raises(TypeError, match="code must be a text"):
                sandbox.as_tool()([1])
            assert session.run("x").value == 1


def test_packages_are_installed_only_if_they_are_allowed():
    with Sandbox() as sandbox:
        with pytest.raises(InstallError, match="--allow-install"):
            sandbox.install("rich")
        assert sandbox.run("1").value == 1


def test_variables_and_mounts_are_granted(tmp_path, monkeypatch):
    monkeypatch.setenv("MRP_TEST_OWN", "mine")
    monkeypatch.setenv("MRP_TEST_KEPT", "mine, too")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "file").write_text("text")
    env = {"MRP_TEST_OWN": "other", "MRP_TEST_NEW": "a,b"}
    with Sandbox(env=env, mounts=[str(tmp_path / "data")]) as sandbox:
        code = "import os; [os.environ.get(n) for n in names], open('/mnt/data/file').read()"
        names = [*env, "MRP_TEST_KEPT"]
        assert sandbox.run(code, {"names": names}).value == [["other", "a,b", None], "text"]


def test_variables_of_the_code_are_no_variables_of_the_launcher(monkeypatch):
    monkeypatch.setenv("MRP_TEST_OWN", "mine")
    # As a variable of the launcher's, it would end the start.
    env = {"MRP_TEST_OWN": "a secret", "MCP_RUN_PYTHON_MAX_OUTPUT": "never", "LD_PRELOAD": "/nowhere.so"}
    with Sandbox(env=env) as sandbox:
        assert sandbox.run("import os; [os.environ[n] for n in names]", {"names": [*env]}).value == [*env.values()]
        assert "a secret" not in str(sandbox._lease.launcher._process.args)


def test_a_handler_takes_the_log_or_else_a_logger_does(caplog):
    caplog.set_level(logging.INFO, "mcp_run_python")
    told = []
    options = {"log_level": "info"}
    with Sandbox(log_handler=lambda level, text: told.append((level, text)), options=options) as sandbox:
        sandbox.run("1")
    assert not caplog.records
    assert [(level, "status=success" in text) for level, text in told if text.startswith("run ")] == [("info", True)]
    with Sandbox(options=options) as sandbox:
        sandbox.run("1")
    assert any("status=success" in record.message for record in caplog.records)


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
