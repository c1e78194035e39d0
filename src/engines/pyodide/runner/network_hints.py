"""Hints on the use of HTTP in the place of sockets."""

import errno
import traceback

SOCKETS = (
    "There are no raw sockets here. Use HTTP: urllib.request, requests, httpx and pyodide.http "
    "reach the hosts that the user grants with --allow-net."
)

# Event loops; they have no connections, servers or pipes here.
LOOPS = ("/asyncio/events.py", "/pyodide/webloop.py")


def network_hint(error):
    """Gives the hint for an error about a socket; None for any other error."""
    if isinstance(error, OSError) and error.errno in (errno.EHOSTUNREACH, errno.EOPNOTSUPP):
        return SOCKETS
    if isinstance(error, NotImplementedError):
        frames = list(traceback.walk_tb(error.__traceback__))
        code = frames[-1][0].f_code if frames else None
        if code and code.co_filename.endswith(LOOPS) and ("connect" in code.co_name or "create_" in code.co_name):
            return SOCKETS
    return None
