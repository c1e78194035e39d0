"""Runs the Python of a document: the snippets that use a framework for agents, or those that use none.

Its arguments are the document, and the framework's module or "none". What a snippet prints has to be what its comments
say. Models are fakes that call the tool and answer with the value. Snippets that name dependencies get those of the
variable `DEPENDENCIES`, of the Pyodide in `WITH_PYODIDE`. The last line of the output is the number of snippets.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import re
import sys
import textwrap
from pathlib import Path
from unittest import mock

from mcp_run_python import code_sandbox

FRAMEWORKS = ("pydantic_ai", "langchain_core", "agents")
CODE = """
from datetime import date

class Drawing:
    def _repr_png_(self):
        return bytes.fromhex("89504e470d0a1a0a")

display(Drawing())
(date(2025, 3, 18) - date(2000, 1, 1)).days
"""
ARGUMENTS = json.dumps({"python_code": CODE})


def fake_pydantic_ai():
    from pydantic_ai import ModelResponse, TextPart, ToolCallPart, models
    from pydantic_ai.models.function import FunctionModel

    def answer(messages, info):
        (tool,) = [tool for tool in info.function_tools if tool.name == "run_python_code"]
        check_tool(tool.description, tool.parameters_json_schema)
        if not isinstance(messages[-2:][0], ModelResponse):
            return ModelResponse([ToolCallPart(tool.name, {"python_code": CODE})])
        return ModelResponse([TextPart(read_value(messages[-1].parts))])

    models.infer_model = lambda name, *_: FunctionModel(answer)


def fake_agents():
    from agents import ModelResponse, Usage
    from agents.models import interface, multi_provider
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    class Fake(interface.Model):
        async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
            (tool,) = tools
            check_tool(tool.description, tool.params_json_schema)
            if isinstance(input, str) or len(input) == 1:
                call = {"call_id": "1", "name": tool.name, "arguments": ARGUMENTS, "type": "function_call"}
                said = ResponseFunctionToolCall(**call)
            else:
                text = ResponseOutputText(annotations=[], text=read_value(input[-1]), type="output_text")
                message = {"role": "assistant", "status": "completed", "type": "message"}
                said = ResponseOutputMessage(id="2", content=[text], **message)
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_, **__):
            raise NotImplementedError

    multi_provider.MultiProvider.get_model = lambda *_: Fake()


def fake_langchain_core():
    pass  # its snippets call the tool themselves


def check_tool(description, schema):
    assert re.match("Runs Python .*code in a sandbox", description), description
    code = schema["properties"]["python_code"]
    assert (code["type"], "Python to run" in code["description"]) == ("string", True), schema


def read_value(answer):
    """Reads the value that the model sees; the picture of the same answer has to be there."""
    seen = repr(answer)
    assert "run-python://images/figure-1.png" in seen, seen
    assert seen.count("image/png") > 1, seen
    return re.search(r"<return_value>(?:\\n)+(\w+)", seen)[1]


def read_snippets(document, framework):
    for indent, text in re.findall(r"^( *)```python\n(.*?)^ *```", document.read_text(), re.DOTALL | re.MULTILINE):
        code = textwrap.dedent(indent + text if indent else text)
        used = [name for name in FRAMEWORKS if re.search(rf"^from {name}\b", code, re.MULTILINE)]
        if used == ([] if framework == "none" else [framework]):
            yield code


async def run(code):
    expected = re.findall(r"^ *print\(.*\)  # (.*)$", code, re.MULTILINE)
    if "dependencies=" in code and "DEPENDENCIES" in os.environ:
        dependencies = os.environ["DEPENDENCIES"].split(",")
        code = re.sub(r"dependencies=\[.*?\]", f"dependencies={dependencies}", code)
        options = {"MCP_RUN_PYTHON_PYODIDE": os.environ["WITH_PYODIDE"], "MCP_RUN_PYTHON_OFFLINE": "1"}
    else:
        options = {}
    compiled = compile(code, "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    output = io.StringIO()
    names = {"code_sandbox": code_sandbox}
    async with contextlib.AsyncExitStack() as stack:
        if "as sandbox" not in code:
            names["sandbox"] = await stack.enter_async_context(code_sandbox())
        stack.enter_context(mock.patch.dict(os.environ, options))
        stack.enter_context(contextlib.redirect_stdout(output))
        ended = eval(compiled, names)
        if inspect.iscoroutine(ended):
            await ended
    assert output.getvalue().splitlines() == expected, (code, output.getvalue())


async def main(document, framework):
    if framework != "none":
        globals()[f"fake_{framework}"]()
    snippets = [*read_snippets(Path(document), framework)]
    for code in snippets:
        await run(code)
    print(len(snippets))


asyncio.run(main(*sys.argv[1:]))
