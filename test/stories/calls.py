"""What the models of all clients call, and how a driver prints what came of it."""

import asyncio
import json
import sys
from contextlib import redirect_stdout
from io import StringIO

TOOL = "run_python_code"
PICTURE = """
from base64 import b64decode
class Picture:
    def __repr__(self):
        return "a picture"
    def _repr_png_(self):
        return b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
        )
Picture()
"""
CALLS = {
    "a run": "print('printed')\n6 * 7",
    "a long list": "list(range(10_000))",
    "an error": "print('so far')\n{}['colour']",
    "a picture": PICTURE,
    "a picture, then an error": f"{PICTURE}\ndisplay(Picture())\n1 / 0",
}


def seen(text, pictures=()):
    """An answer, as the model gets it; pictures in base64."""
    return {"text": text, "pictures": list(pictures)}


def main(tell, connection, model=None):
    """Prints what a client's model saw, and what code of docs/clients.md printed.

    Usage: DRIVER JSON, with `http`, an expression that makes the connection; `stdio`,
    the words of the command; and `code`, the blocks, in which MODEL is the model.

    Args:
        tell: Coroutine function of the connection and the command, which gives
            stories by name: the tools, and what was seen of each call.
        connection: The class of the connection.
    """
    given = json.loads(sys.argv[1])
    http = eval(given["http"], {connection.__name__: connection})
    stories = asyncio.run(tell(http, given["stdio"]))
    printed = [run(code, model) for code in given["code"]]
    print(json.dumps({"stories": stories, "printed": printed}))


def run(code, model):
    with redirect_stdout(StringIO()) as printed:
        exec(code, {"__name__": "__main__", "MODEL": model})
    return printed.getvalue()
