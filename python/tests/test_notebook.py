"""What a notebook shows of a result: by IPython's own shell, whose display the kernel of Jupyter has."""

import re

import pytest

from mcp_run_python import Sandbox

IPython = pytest.importorskip("IPython")

CODE = """
class Drawing:
    def _repr_png_(self): return bytes.fromhex("89504e470d0a1a0a")
class Vector:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
display(Drawing(), Vector())
print("said")
open("a.csv", "w").write("a,b")
[1, 2]
"""


def test_a_result_shows_its_output_pictures_and_value():
    from IPython.testing.globalipapp import start_ipython
    from IPython.utils.capture import capture_output

    shell = start_ipython()
    with Sandbox() as sandbox:
        shell.push({"sandbox": sandbox, "code": CODE})
        with capture_output() as right:
            shell.run_cell("sandbox.run(code)")
        with capture_output() as wrong:
            shell.run_cell("sandbox.run('1 / 0')")
    assert "said\n" in right.stdout
    assert "wrote a.csv, 3 bytes\n" in right.stdout
    assert [next(iter(output.data)) for output in right.outputs] == ["image/png", "text/html", "text/plain"]
    png, svg, value = (output.data for output in right.outputs)
    assert png["image/png"] == "iVBORw0KGgo="
    # The SVG's scripts would run in the notebook, which can have the kernel run anything.
    assert re.fullmatch(r'<img src="data:image/svg\+xml;base64,[\w+/=]+">', svg["text/html"])
    assert value["text/plain"] == "[1, 2]"
    assert wrong.stdout.endswith("ZeroDivisionError: division by zero\n")
    assert not wrong.outputs


def test_a_page_is_shown_in_a_sandboxed_frame():
    with Sandbox() as sandbox:
        code = "from mcp_run_python import HTML\ndisplay(HTML('<title>One</title><script>alert(1)</script>'))"
        (page,) = sandbox.run(code).pages
    shown = page._repr_mimebundle_()
    assert shown["text/plain"] == page.about
    assert re.fullmatch(
        r'<iframe title="One" sandbox="allow-scripts" style="[^"]+" srcdoc="[^"<>]+"></iframe>', shown["text/html"]
    )
