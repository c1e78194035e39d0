"""The traceback of an error: the code's own frames as Python prints them, those of libraries in short."""

import os
import re
import traceback
from itertools import groupby

from . import code_mode, sources
from .installs import notes_without_installs, without_installs
from .summaries import shortened

OURS = os.path.dirname(__file__)
MAX_FRAMES = 1000  # the last frames of a traceback; Python itself prints as many
# A library's frames in a row: where the code enters it, and where it raises, say enough.
MOST_IN_A_ROW = 4
FIRST, LAST = 1, 2
MOST_NAMED = 3
LONGEST_MESSAGE = 2000  # characters of the message of one exception: pandas may put a column of strings into it
# Of packages, of Python's library, and of code that was compiled elsewhere, such as "pandas/_libs/index.pyx".
PACKAGE = re.compile(r"/lib/python[\d.]+/(?:site-packages|lib-dynload)/((\w+).*)")
STANDARD = re.compile(r"/lib/python[\d.]+(?:\.zip)?/((\w+).*)|<frozen ((\w+).*)>")
COMPILED = re.compile(r"(?:.*?/)??((\w+)[^/]*(?:/.*)?\.p(?:yx|xd|xi))|<(__array_function__) internals>")


def show(error):
    """The traceback of an error from a call's file on, without frames of this package."""
    frames = error.__traceback__
    while frames and not sources.is_call(frames.tb_frame.f_code.co_filename):
        frames = frames.tb_next
    shown = traceback.TracebackException(type(error), error, frames, compact=True, limit=-MAX_FRAMES, lookup_lines=False)
    code_mode.leave_out_told(error, shown)
    parts = [shown]
    for part in parts:  # the list grows meanwhile
        part._str = shortened(without_installs(part._str), LONGEST_MESSAGE)
        part.__notes__ = notes_without_installs(part.__notes__)
        part.stack = _Frames(_folded(part.stack))
        parts += [other for other in (part.__cause__, part.__context__, *(part.exceptions or ())) if other]
    for part in reversed(parts):
        _fold_cause(part)
    return "".join(shown.format()).rstrip("\n")


def _fold_cause(part):
    """Leaves the frames of a cause out that are those of libraries alone; and all of it, if it says what the error says."""
    after = "__context__" if part.__cause__ is None else "__cause__"
    cause = getattr(part, after)
    if cause is None or cause.exceptions or not all(isinstance(it, _OfLibrary) for it in cause.stack):
        return
    cause.stack = None
    if [*cause.format_exception_only()] == [next(part.format_exception_only())] and not (cause.__cause__ or cause.__context__):
        setattr(part, after, None)


class _Frames(traceback.StackSummary):
    def format_frame_summary(self, frame, **options):
        return frame.text if isinstance(frame, _Left) else super().format_frame_summary(frame, **options)


class _OfLibrary(traceback.FrameSummary):
    """A frame that is a line of a place."""


class _Left(_OfLibrary):
    """Stands for frames that are left out."""

    def __init__(self, names, count):
        super().__init__("", 0, "", lookup_line=False, line="")
        some = [*dict.fromkeys(names)]
        more = " and others" if len(some) > MOST_NAMED else ""
        self.text = f"  … {count} more frames of {', '.join(some[:MOST_NAMED])}{more}\n"


def _folded(stack):
    own = [frame for frame in stack if not frame.filename.startswith(OURS)]
    for is_library, group in groupby(own, lambda frame: _place(frame) is not None):
        row = [*group]
        if not is_library:
            yield from row
            continue
        short = [_OfLibrary(_place(it)[0], it.lineno, it.name, lookup_line=False, line="") for it in row]
        if len(row) <= MOST_IN_A_ROW:
            yield from short
            continue
        left = row[FIRST:-LAST]
        yield from short[:FIRST]
        yield _Left([_place(it)[1] for it in left], len(left))
        yield from short[-LAST:]


def _place(frame):
    """The file of a library's frame, in short, and the library; None for a frame of the code."""
    file = frame.filename
    if found := PACKAGE.match(file) or STANDARD.match(file):
        short, name = [it for it in found.groups() if it is not None]
        return f".../{short}" if file.startswith("/") else file, name
    if found := COMPILED.fullmatch(file):
        return file, frame.name.partition(".")[0] if "." in frame.name else found[2] or found[3]
    return None
