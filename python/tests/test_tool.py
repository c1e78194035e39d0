"""The function that frameworks take as a tool, without a framework: `snippets.py` has these."""

import asyncio
import inspect
import typing

import pytest

from mcp_run_python import Sandbox, SandboxError, code_sandbox

DRAWING = """
class Drawing:
    def _repr_png_(self): return bytes.fromhex("89504e470d0a1a0a")
"""


def test_a_tool_has_a_name_and_says_what_its_sandbox_can(tmp_path):
    mounts = [str(tmp_path), f"{tmp_path}:/data:rw"]
    sandbox = code_sandbox(mounts=mounts, allow_networking=["a.example:443"], dependencies=["rich>=14"])
    tool = sandbox.as_tool()
    assert tool.__name__ == tool.__qualname__ == "run_python_code"
    assert [*inspect.signature(tool).parameters] == ["python_code"]
    assert typing.get_type_hints(tool)["python_code"] is str
    said = inspect.getdoc(tool)
    assert said is not None
    assert f"it has /mnt/{tmp_path.name}, /data." in said
    assert "without network" not in said
    assert "Installed beside the standard library: rich>=14." in said
    assert "Every call starts from nothing" in said
    assert "\nArgs:\n    python_code: Python to run." in said
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(tool("1"))


def test_its_answer_is_text_that_names_files_and_pictures_and_has_errors():
    async def main():
        async with code_sandbox() as sandbox:
            tool = sandbox.as_tool()
            code = f"{DRAWING}\ndisplay(Drawing())\nprint('<output>')\nopen('a.txt', 'w').write('hi')"
            return await tool(python_code=code), await tool("print('before')\n1 / 0")

    right, wrong = asyncio.run(main())
    assert right == (
        "<status>success</status>\n<output>\n&lt;output>\n</output>\n<return_value>\n2\n</return_value>\n"
        "<images>\nrun-python://images/figure-1.png (image/png, 8 bytes)\n</images>\n"
        '<files>\n<file path="a.txt" size="2" type="text/plain">\nhi\n</file>\n</files>'
    )
    assert wrong.startswith("<status>run-error</status>\n<output>\nbefore\n</output>\n<error>\nTraceback")
    assert wrong.endswith("ZeroDivisionError: division by zero\n</error>")


def test_its_text_is_cut_to_what_a_model_reads():
    with Sandbox() as sandbox, Sandbox(options={"max_output": 100}) as short:
        code = "print('a' * 200_000)"
        assert 30_000 < len(sandbox.as_tool()(code)) < 31_000
        assert len(short.as_tool()(code)) < 300


def test_the_tool_of_a_session_keeps_state_and_gives_another_answer():
    with Sandbox() as sandbox, sandbox.session() as session:
        tool = session.as_tool(lambda text, result: (text.splitlines()[0], [one.data for one in result.images]))
        assert "are kept from call to call" in (tool.__doc__ or "")
        tool(f"{DRAWING}\nx = Drawing()")
        assert tool("display(x)") == ("<status>success</status>", [bytes.fromhex("89504e470d0a1a0a")])


def test_only_a_sandbox_that_has_ended_raises():
    with Sandbox() as sandbox:
        tool = sandbox.as_tool()
        assert "<status>crashed</status>" in tool("import os; os._exit(1)")
    with pytest.raises(SandboxError):
        tool("1")
