"""The predecessor's functions, and the command: real processes."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_run_python import Sandbox, SandboxError, __version__, async_prepare_deno_env, prepare_deno_env, run_mcp_server
from mcp_run_python._program import find_deno

INITIALIZE = {
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def to_call(code):
    return {"method": "tools/call", "params": {"name": "run_python_code", "arguments": {"python_code": code}}}


def ask(env, *requests, variables=None):
    """Asks a server that the environment starts, one request after the other."""
    lines = [json.dumps({"jsonrpc": "2.0", "id": number, **request}) for number, request in enumerate(requests)]
    process = subprocess.Popen(
        [env.command, *env.args], cwd=env.cwd, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    answers = {}
    with process:
        print(*lines, sep="\n", file=process.stdin, flush=True)
        # The server waits for no answer once its client is gone.
        while len(answers) < len(lines):
            answer = json.loads(process.stdout.readline())
            if "id" in answer:
                answers[answer["id"]] = answer["result"]
        process.stdin.close()
    assert process.returncode == 0
    return answers


def test_an_environment_starts_a_server():
    told = []
    with prepare_deno_env("stdio", deps_log_handler=lambda level, text: told.append((level, text))) as env:
        answers = ask(env, INITIALIZE, {"method": "tools/list"})
    assert answers[0]["serverInfo"]["name"] == "mcp-run-python"
    assert "run_python_code" in [tool["name"] for tool in answers[1]["tools"]]
    assert all(level in ("info", "warning") for level, _ in told)


def test_its_options_reach_the_server():
    async def main():
        async with async_prepare_deno_env("stdio", return_mode="json", error_results=True) as env:
            return await asyncio.to_thread(ask, env, INITIALIZE, to_call("1 / 0"))

    result = asyncio.run(main())[1]
    assert not result.get("isError")
    assert json.loads(result["content"][0]["text"])["status"] == "run-error"


def test_its_arguments_alone_start_the_server_that_was_installed(monkeypatch, tmp_path):
    said = {"SAID": 'it\'s "so"\n#${HOME}'}
    (tmp_path / "options.toml").write_text('return-mode = "json"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCP_RUN_PYTHON_CONFIG", "options.toml")
    monkeypatch.setenv("MCP_RUN_PYTHON_ENV", json.dumps(said))
    monkeypatch.setenv("OPENAI_API_KEY", "not ours")
    with prepare_deno_env("stdio"):
        pass  # what is installed now needs no network
    nowhere = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
    for name in nowhere:
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with prepare_deno_env("stdio") as env:
        files = [*map(Path, re.findall("--env-file=(.*)", "\n".join(env.args)))]
        assert "SAID" not in " ".join(env.args)
        text = "".join(file.read_text() for file in files)
        assert "not ours" not in text
        assert [name for name in nowhere if f"{name}=" not in text] == []
        if os.name != "nt":
            assert {file.parent.stat().st_mode & 0o777 for file in files} == {0o700}
        answers = ask(env, INITIALIZE, to_call("import os; dict(os.environ)['SAID']"), variables={})
    assert json.loads(answers[1]["content"][0]["text"])["return_value"] == said["SAID"]
    assert not any(file.parent.exists() for file in files)


def test_a_variable_that_no_file_can_carry_is_named(monkeypatch):
    monkeypatch.setenv("MCP_RUN_PYTHON_LOG_FILE", "'`")
    with pytest.raises(SandboxError, match="MCP_RUN_PYTHON_LOG_FILE"), prepare_deno_env("stdio"):
        pass


def test_an_environment_that_cannot_be_had_says_why():
    with (
        pytest.raises(SandboxError, match="mrp-none-such"),
        prepare_deno_env("stdio", dependencies=["mrp-none-such @ nowhere"]),
    ):
        pass
    with pytest.raises(ValueError, match="http_port"), prepare_deno_env("stdio", http_port=1):
        pass
    with pytest.raises(TypeError, match='no option "depedencies"'), prepare_deno_env("stdio", depedencies=[]):
        pass
    with pytest.raises(ValueError, match='mode "http". Use stdio'):
        run_mcp_server("http")


def test_a_deno_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("MCP_RUN_PYTHON_DENO", str(tmp_path / "none"))
    with pytest.raises(SandboxError, match="MCP_RUN_PYTHON_DENO is .*none"):
        find_deno()
    ended = subprocess.run([sys.executable, "-m", "mcp_run_python"], check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr.startswith("error: Cannot start Deno: ")) == (1, True)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such scripts")
def test_an_authority_of_ones_own_counts_for_denos_downloads(monkeypatch, tmp_path, capfd):
    deno = tmp_path / "deno"
    deno.write_text('#!/bin/sh\necho "error: $DENO_CERT" >&2\nexit 1\n')
    deno.chmod(0o700)
    monkeypatch.setenv("MCP_RUN_PYTHON_DENO", str(deno))
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/company.pem")
    monkeypatch.delenv("DENO_CERT", raising=False)
    with pytest.raises(SandboxError, match="^/etc/company.pem$"):
        Sandbox()
    with pytest.raises(SandboxError, match="^/etc/company.pem$"), prepare_deno_env("stdio"):
        pass
    subprocess.run([sys.executable, "-m", "mcp_run_python", "stdio"], check=False)
    assert "/etc/company.pem" in capfd.readouterr().err


def test_a_server_runs_to_its_end(capfd):
    assert run_mcp_server("example") == 0
    assert "<status>success</status>" in capfd.readouterr().out


def test_the_command_is_denos():
    def run(*args):
        return subprocess.run(
            [sys.executable, "-m", "mcp_run_python", *args], capture_output=True, text=True, check=False
        )

    version = run("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert __version__ in ("0", version.stdout.strip())
    assert run("run", "-c", "raise SystemExit(7)").returncode == 7
    wrong = run("--tiemout", "5", "stdio")
    assert wrong.returncode == 2
    assert "--timeout" in wrong.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_signal_reaches_the_command():
    code = "print('on', flush=True)\nwhile True: pass"
    command = [sys.executable, "-m", "mcp_run_python", "run", "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "on\n"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 130
