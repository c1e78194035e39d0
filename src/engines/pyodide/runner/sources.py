"""The sources of a session's calls, for tracebacks and `inspect`: each call is a file of its own."""

import functools
import inspect
import linecache
import re

FIRST = "main.py"
# linecache keeps sources of this size: their characters, and some for each entry.
MOST_KEPT = 1 << 20
ENTRY = 500

_rooms = {}  # of the sources that linecache keeps, by file name, the oldest first
_calls = 0
_room = 0  # the sum of `_rooms`


def add(code):
    """Adds the source of the next call; gives the name of its file."""
    global _calls, _room
    _calls += 1
    file = FIRST if _calls == 1 else f"call {_calls}"
    # Python 3.12 misplaces the carets below a line without a line end.
    lines = [f"{line}\n" for line in code.splitlines()]
    linecache.cache[file] = len(code), None, lines, file
    _rooms[file] = len(code) + ENTRY
    _room += _rooms[file]
    while _room > MOST_KEPT and len(_rooms) > 1:
        oldest = next(iter(_rooms))
        _room -= _rooms.pop(oldest)
        linecache.cache.pop(oldest, None)
    return file


def is_call(file):
    return file == FIRST or file.startswith("call ")


def _patch_inspect():
    """Finds classes of later calls, too: Python takes `__file__` of their module for their file."""
    getfile = inspect.getfile

    @functools.wraps(getfile)
    def getfile_of_call(object):
        file = getfile(object)
        return _file_of(object) if file == FIRST and inspect.isclass(object) else file

    inspect.getfile = getfile_of_call


def _file_of(kind):
    begins = re.compile(rf"\s*class\s+{re.escape(kind.__name__)}\b").match
    files = (file for file in reversed(_rooms) if any(map(begins, linecache.getlines(file))))
    return next(files, FIRST)


_patch_inspect()
