"""What the models of all clients call, and how a driver prints what they saw."""

import asyncio
import json
import sys

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
    "an error": "print('so far')\n{}['colour']",
    "a picture": PICTURE,
    "a picture, then an error": f"{PICTURE}\ndisplay(Picture())\n1 / 0",
}


def seen(text, pictures=()):
    """An answer, as the model gets it; pictures in base64."""
    return {"text": text, "pictures": list(pictures)}


def main(tell, *classes):
    """Prints stories as JSON, by name: the tools, and what was seen of each call.

    Usage: DRIVER EXPRESSION COMMAND ARGUMENT...

    Args:
        tell: Coroutine function of a connection over HTTP, and of the command for stdio.
        classes: Names of which the expression makes that connection.
    """
    expression, *command = sys.argv[1:]
    http = eval(expression, {each.__name__: each for each in classes})
    print(json.dumps(asyncio.run(tell(http, command))))
