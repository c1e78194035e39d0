"""The sandboxes of scripts: real processes, real Python."""

import io
import logging
import re
from datetime import datetime, timedelta

import pytest

from mcp_run_python import InstallError, Sandbox, SandboxError
from mcp_run_python._log import read_log
from mcp_run_python._results import to_result


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as shared:
        yield shared


def test_a_run_gives_value_output_files_and_timings(sandbox, tmp_path):
    path = tmp_path / "of this machine"
    path.write_bytes(b"\x01\x02")
    code = """
import os, sys
print("said")
print("warned", file=sys.stderr)
os.remove("text.txt")
open("out.bin", "wb").write(open("in.bin", "rb").read() * n)
"""
    result = sandbox.run(code, {"n": 2}, files={"text.txt": "é", "in.bin": path})
    assert (result.status, result.value, result.error, result.exit_code) == ("success", 4, None, None)
    assert result.output == "said\nwarned"
    assert result.files == {"out.bin": b"\x01\x02\x01\x02"}
    assert result.removed == ("text.txt",)
    assert result.timings.wall > 0 and result.timings.waited >= 0
    assert result.raise_for_error() is result
    assert repr(result).startswith("RunResult(status='success', value=4, output='said\\nwarned', files={'out.bin': '4 bytes'}")


def test_an_error_has_class_message_and_traceback(sandbox):
    code = "class Odd(ValueError): pass\nraise Odd('no')"
    result = sandbox.run(code)
    late = sandbox.run("while True: pass", timeout=0.5)
    ended = sandbox.run("raise SystemExit(3)")
    elsewhere = sandbox.run("1", engine="x")
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
    assert elsewhere.error is not None
    assert elsewhere.status == "denied" and 'the engine "x"' in elsewhere.error.message


def test_pages_are_html_with_a_line_about_it(sandbox):
    code = """
from mcp_run_python import HTML
HTML("<p>é", title="t")
"""
    result = sandbox.run(code)
    (page,) = result.pages
    assert (page.title, page.about, page.html) == ("t", 'HTML: "é"', "<p>é")
    assert page.uri.endswith("/page-1.html")
    assert "<p>" not in repr(result)


def test_images_are_bytes_that_a_notebook_shows(sandbox):
    code = """
class Drawing:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"
    def _repr_png_(self): return bytes.fromhex("89504e470d0a1a0a")
display(Drawing())
"""
    (image,) = sandbox.run(code).images
    bundle = image._repr_mimebundle_()
    assert [*bundle] == ["text/html" if image.mime_type == "image/svg+xml" else image.mime_type]
    assert image.data.startswith((b"<svg", b"\x89PNG"))


def test_output_is_told_as_it_comes(sandbox):
    told = []
    result = sandbox.run(
        "import sys\nprint('one')\nprint('two', file=sys.stderr)",
        on_output=lambda stream, text: told.append((stream, text.strip())),
    )
    assert sorted(told) == [("stderr", "two"), ("stdout", "one")]
    assert result.output == "one\ntwo"


def test_a_callback_that_raises_ends_its_run_alone(sandbox):
    def fail(stream, text):
        raise LookupError("the reader broke")

    with pytest.raises(LookupError):
        sandbox.run("while True: print('more', flush=True)", on_output=fail)
    assert sandbox.run("1").value == 1


def test_a_session_keeps_state_and_is_copied(sandbox):
    with sandbox.session() as session:
        session.run("x = 1")
        with session.fork() as copy:
            assert copy.run("x += 40; x").value == 41
        assert session.run("x").value == 1
        assert sandbox.run("'x' in globals()").value is False
        lost = session.run("import os; os._exit(1)")
        assert lost.status == "crashed"
        assert session.run("x").status == "session-lost"


def test_wrong_arguments_are_refused_by_name(sandbox):
    with pytest.raises(TypeError, match='no option "tiemout"'):
        Sandbox(tiemout=5)
    with pytest.raises(TypeError, match="dependencies must be a list"):
        Sandbox(dependencies="numpy")
    with pytest.raises(TypeError, match=r"dependencies must be a list of texts, and not \[1\]"):
        Sandbox(dependencies=[1])
    with pytest.raises(TypeError, match="variable N of env must be a text, and not 1"):
        Sandbox(env={"N": 1})
    with pytest.raises(SandboxError, match='Cannot use "never" for timeout='):
        Sandbox(timeout="never")
    with pytest.raises(TypeError, match='global variable "when"'):
        sandbox.run("1", {"when": object()})
    for value, form in ((float("nan"), "NaN"), ([{"a": float("-inf")}], "-Infinity")):
        with pytest.raises(TypeError, match=f'"rows" .*: JSON has no form for {form}: send None, or a text .* float'):
            sandbox.run("1", {"rows": value})
    with pytest.raises(TypeError, match=r'"id" .*: an integer beyond 2\*\*53 .*: send a text .* int\(\)'):
        sandbox.run("1", {"id": [2**53]})
    assert sandbox.run("n", {"n": [1 - 2**53, 2**53 - 1]}).value == [1 - 2**53, 2**53 - 1]
    with pytest.raises(TypeError, match='global variable "raw".*decode'):
        sandbox.run("1", {"raw": b"\xff"})
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


def test_packages_are_installed_only_if_they_are_allowed(sandbox):
    with pytest.raises(InstallError, match="allow_install="):
        sandbox.install("rich")
    assert sandbox.run("1").value == 1


def test_dates_arrive_as_text_in_isos_form(sandbox):
    moment = datetime(2026, 1, 2, 3, 4)
    code = "from datetime import datetime; moment, datetime.fromisoformat(moment).year, span"
    result = sandbox.run(code, {"moment": moment, "span": timedelta(minutes=90)})
    assert result.value == [moment.isoformat(), 2026, "PT1H30M"]


def test_a_run_that_needs_too_much_memory_has_the_limit_as_its_message():
    with Sandbox(memory=128) as sandbox:
        result = sandbox.run("bytearray(500 * 2**20)")
    assert (result.status, result.error.type) == ("memory-limit", "MemoryError")
    assert result.error.message == (
        "Python ran out of memory: its limit is 128 MiB. Work on smaller parts, or allow more with memory=."
    )


def test_a_result_hands_on_that_its_value_was_cut():
    data = {"status": "success", "returnValue": [1, "<500 more rows>"], "output": [], "truncated": {"return_value": 9}}
    assert to_result(data, {}).truncated == {"return_value": 9}


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


def test_messages_speak_of_arguments(sandbox):
    code = "from urllib.request import urlopen\nurlopen('http://a.example')"
    missing, host, late, memory = (
        sandbox.run("import numpy").error,
        sandbox.run(code).error,
        sandbox.run("while True: pass", timeout=0.5).error,
        sandbox.run("x = 'a' * 10**9 * 3").error,
    )
    assert missing.traceback.endswith('create the sandbox with dependencies=["numpy"].')
    assert host.message.endswith('create the sandbox with allow_networking=["a.example"]>')
    assert late.message.endswith("Allow more with timeout=.")
    assert "--" not in memory.traceback
    # What the code itself says stays as it is.
    assert sandbox.run("raise ValueError('start the server with --deps x')").error.message.endswith("--deps x")
    assert "--timeout 5" in sandbox.run("raise ValueError('--timeout 5')").error.traceback


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"memory": 1}, 'Cannot use "1" for memory= as it must be'),
        ({"timeout": -1}, 'Cannot use "-1" for timeout= as it must be'),
        ({"allow_networking": ["a b"]}, 'Cannot use "a b" for allow_networking= as it must be'),
        ({"options": {"max_output": "x"}}, 'Cannot use "x" for options={"max_output": …} as it must be'),
        ({"dependencies": ["a-package-that-is-not-there"], "offline": True}, "once without offline=,"),
    ],
)
def test_refusals_speak_of_arguments(given, message):
    with pytest.raises(SandboxError, match=re.escape(message)) as error:
        with Sandbox(**given):
            pass
    assert "--" not in str(error.value) and "$" not in str(error.value)


@pytest.mark.parametrize("has_handler", [False, True])
def test_an_install_is_told_unless_a_program_takes_its_log(has_handler, capfd, monkeypatch):
    lines = b"Resolving rich\n2026-11-27T00:00:00Z warning Skipping an index\nerror: no\nSee mcp-run-python --help.\n"
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(io.StringIO())] if has_handler else [])
    assert read_log(io.BytesIO(lines), lambda: [])(1) == "no"
    told = "mcp-run-python: Resolving rich\nmcp-run-python: Skipping an index\n"
    assert capfd.readouterr().err == ("" if has_handler else told)
