"""What the predecessor's README and examples do, by the same calls; its models are fakes.

pytest runs it by its name: it needs `pydantic-ai-slim` 1.x, whose `MCPServerStdio` the examples use, a home whose
caches have all that a server needs, and numpy, or in `DEPENDENCIES` packages that bring it.
"""

import asyncio
import os
import subprocess
import sys
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPServerStdio
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from mcp_run_python import async_prepare_deno_env, code_sandbox, prepare_deno_env, run_mcp_server

DAYS = "from datetime import date\n(date(2025, 3, 18) - date(2000, 1, 1)).days"
NUMPY = os.environ.get("DEPENDENCIES", "numpy").split(",")
CODE = """
import numpy
a = numpy.array([1, 2, 3])
print(a)
a
"""


def model(messages, _):
    if len(messages) == 1:
        return ModelResponse([ToolCallPart("run_python_code", {"python_code": DAYS})])
    return ModelResponse([TextPart(str(messages[-1].parts[0].content))])


async def ask(server):
    agent = Agent(FunctionModel(model), toolsets=[server])
    async with agent:
        result = await agent.run("How many days between 2000-01-01 and 2025-03-18?")
    return result.output


def test_a_client_starts_the_command():
    server = MCPServerStdio(sys.executable, args=["-m", "mcp_run_python", "stdio"], env={**os.environ}, timeout=600)
    assert "9208" in asyncio.run(ask(server))


def test_async_prepare_deno_env_with_an_agent():
    async def main():
        async with async_prepare_deno_env("stdio") as deno_env:
            return await ask(MCPServerStdio("deno", args=deno_env.args, cwd=deno_env.cwd, timeout=600))

    assert "9208" in asyncio.run(main())


def test_prepare_deno_env_with_a_client_of_mcp():
    async def main(deno_env):
        server_params = StdioServerParameters(command="deno", args=deno_env.args, cwd=deno_env.cwd)
        async with stdio_client(server_params) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            (tool,) = (one for one in (await session.list_tools()).tools if one.name == "run_python_code")
            assert {"python_code", "global_variables"} <= {*tool.inputSchema["properties"]}
            arguments = {"python_code": "print('said')\nn", "global_variables": {"n": [1, 2]}}
            content_block = (await session.call_tool("run_python_code", arguments)).content[0]
            return content_block.text

    with prepare_deno_env("stdio", dependencies=None, return_mode="xml", allow_networking=False) as deno_env:
        text = asyncio.run(main(deno_env))
    # The predecessor has a value in several lines, too.
    assert text == ("<status>success</status>\n<output>\nsaid\n</output>\n<return_value>\n[1,2]\n</return_value>")


def test_code_sandbox_evaluates_with_a_log_handler():
    told = []

    def log_handler(level, message):
        told.append((level, message))

    async def main():
        async with code_sandbox(dependencies=NUMPY, log_handler=log_handler) as sandbox:
            first = await sandbox.eval(CODE.replace("[1, 2, 3]", "thing"), {"thing": [1, 2, 3]})
            return first, await asyncio.gather(*[sandbox.eval(CODE) for _ in range(3)])

    first, results = asyncio.run(main())
    expected = {"status": "success", "output": ["[1 2 3]"], "return_value": [1, 2, 3]}
    assert first == expected
    assert results == [expected] * 3
    assert ("info", "[1 2 3]") in told


@dataclass
class Foobar:
    a: int
    b: str
    c: bytes


class Trip(BaseModel):
    to: Foobar
    on: date
    takes: timedelta
    tags: set[str]


def test_code_sandbox_evaluates_all_that_pydantic_can_serialize():
    thing = Foobar(1, "2", b"3")
    trip = Trip(to=thing, on=date(2025, 3, 18), takes=timedelta(days=1, seconds=90), tags={"one"})
    others = {"moment": datetime(2025, 3, 18, 12, tzinfo=timezone.utc), "price": Decimal("1.50"), "at": Path("a/b")}

    async def main():
        async with code_sandbox() as sandbox:
            return [
                await sandbox.eval("print(f)", {"f": thing}),
                await sandbox.eval("f", {"f": [thing, trip, others]}),
                await sandbox.eval("print(unknown)"),
                await sandbox.eval("import sys\nsys.version_info[:2]"),
            ]

    printed, returned, failed, version = asyncio.run(main())
    assert printed["output"] == ["{'a': 1, 'b': '2', 'c': '3'}"]
    assert returned["return_value"] == to_jsonable_python([thing, trip, others])
    assert failed["status"] == "run-error"
    assert failed["error"] == """\
Traceback (most recent call last):
  File "main.py", line 1, in <module>
    print(unknown)
          ^^^^^^^
NameError: name 'unknown' is not defined
"""
    assert version["return_value"] >= [3, 12]


def test_a_log_handler_gets_lines():
    told = []

    async def main():
        async with code_sandbox(log_handler=lambda level, text: told.append((level, text))) as sandbox:
            await sandbox.eval('print("hello", 123)')

    asyncio.run(main())
    assert [text for level, text in told if level == "info"][-1] == "hello 123"


def test_a_log_handler_hears_of_an_install_from_the_cache():
    for _ in range(2):
        told = []
        with prepare_deno_env("stdio", deps_log_handler=lambda level, text: told.append((level, text))):
            pass
        assert any(level == "info" and "Pyodide" in text for level, text in told), told


def test_run_mcp_server_serves_until_its_client_is_gone():
    code = """
import sys
from mcp_run_python import run_mcp_server
sys.exit(run_mcp_server(
    "stdio", http_port=None, dependencies=None, return_mode="json",
    deps_log_handler=lambda level, message: None, allow_networking=False, verbose=False,
))
"""
    assert callable(run_mcp_server)
    hello = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    ended = subprocess.run([sys.executable, "-c", code], input=hello, capture_output=True, text=True, check=True)
    assert '"id":1' in ended.stdout
