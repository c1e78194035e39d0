"""Looks into a session between its runs: its variables, and help for a prompt.

Code of the session that a look calls, such as a __repr__, has a moment: then it is
stopped, and its entry says so. The event loop stands still meanwhile.
"""

import ast
import codeop
import contextlib
import io
import json
import re
import rlcompleter
import sys
from itertools import islice
from time import perf_counter
from types import ModuleType

from .code_mode import is_ours
from .integers import SAFE_INTEGER, digits
from .notebook import maybe_python
from .values import attempt, guest_frames

MOST_VARIABLES = 1000
MOST_COMPLETIONS = 100
LONGEST_REPR = 100
LONGEST_NAME = 100
MOST_DIMENSIONS = 32
MOMENT = 0.25  # seconds of a call of the session's code
ALL_MOMENTS = 2  # seconds of all these calls in a look

DUNDER = re.compile(r"__\w+__")
WORD = re.compile(r"[\w.]*\Z")
BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})"), dict: "{}"}
# Their own methods are safe.
PLAIN = (type(None), bool, float, complex, range)

_name_of = type.__dict__["__name__"].__get__  # a metaclass may have its own
_compile = codeop.CommandCompiler()
_compile.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def look(name, argument_json):
    """Gives the ending of a look as JSON text; never raises."""
    try:
        with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()), guest_frames():
            answer = LOOKS[name](_Moments(), **json.loads(argument_json))
        return json.dumps({"status": "success", "value": json.dumps(answer, ensure_ascii=False)})
    except BaseException as error:  # the code of the session has broken what this uses
        told = f"The session cannot be looked into: {_class_of(error)}."
        return json.dumps({"status": "run-error", "error": told, "exitCode": 1})


def clear_names():
    """Removes the names that Pyodide's own start has left."""
    names = _namespace()
    for name in [*names]:
        if not DUNDER.fullmatch(name):
            del names[name]


def _variables(moments):
    variables, modules, count = [], [], 0
    for name, value in dict.items(_namespace()):
        if type(name) is not str or DUNDER.fullmatch(name) or is_ours(name, value):
            continue
        if issubclass(type(value), ModuleType):
            modules.append(name)
            continue
        count += 1
        if count <= MOST_VARIABLES:
            variables.append((name, value))
    return {
        "count": count,
        "variables": [_variable(*it, moments) for it in variables],
        "modules": [_cut(name, LONGEST_NAME) for name in modules[:MOST_VARIABLES]],
    }


def _variable(name, value, moments):
    shape = moments.call(_shape, value)
    return {
        "name": _cut(name, LONGEST_NAME),
        "type": _cut(_class_of(value), LONGEST_NAME),
        "repr": _cut(_short(value, moments), LONGEST_REPR),
        **({} if (size := moments.call(_size, value)) is None else {"size": size}),
        **({"shape": shape} if shape else {}),
    }


def _size(value):
    """Bytes; of a table or an array without the objects that it refers to."""
    size = getattr(value, "nbytes", None) if hasattr(type(value), "nbytes") else None
    if size is None and hasattr(type(value), "memory_usage"):
        size = sum(value.memory_usage())
    return min(int(sys.getsizeof(value) if size is None else size), SAFE_INTEGER)


def _shape(value):
    shape = value.shape if hasattr(type(value), "shape") else ()
    return [min(int(length), SAFE_INTEGER) for length in tuple(shape)[:MOST_DIMENSIONS]]


def _short(value, moments, depth=3):
    """About LONGEST_REPR characters of a repr, read only as far as they are shown."""
    kind = type(value)
    if kind in (str, bytes, bytearray):
        return repr(value[:LONGEST_REPR]) + ("…" if len(value) > LONGEST_REPR else "")
    if kind is int:
        return digits(value)
    if kind in PLAIN:
        return repr(value)
    if kind not in BRACKETS or not value:
        return moments.call(_repr, value) or f"<{_class_of(value)} object>"
    start, end = BRACKETS[kind]
    items = list(islice(value.items() if kind is dict else value, LONGEST_REPR))
    for done, item in enumerate(items):
        if len(start) > LONGEST_REPR or not depth:
            return f"{start}…{end}"
        parts = item if kind is dict else (item,)
        start += (", " if done else "") + ": ".join(_short(it, moments, depth - 1) for it in parts)
    return start + ("," if kind is tuple and len(value) == 1 else "") + end


def _repr(value):
    return str.__str__(repr(value))


def _complete(moments, text):
    """Completions of the word at the end of a text."""
    word = WORD.search(text).group()
    completer = rlcompleter.Completer(_namespace())
    completer._callable_postfix = lambda _, found: found
    find = completer.attr_matches if "." in word else completer.global_matches
    found = (moments.call(find, word) or []) if word else []
    return {"word": word, "matches": sorted(set(found))[:MOST_COMPLETIONS]}


def _is_complete(_, text):
    """Whether a prompt should run a text, as Python's own prompt does."""
    try:
        is_whole = _compile(text, symbol="exec") is not None
        body = ast.parse(text).body if is_whole else []
    except (SyntaxError, ValueError, OverflowError):
        return {"state": "invalid" if maybe_python(text, ()) is None else "complete"}
    # Else a second line could not be written.
    is_open = bool(body) and hasattr(body[-1], "body") and not text.rstrip(" \t").endswith("\n")
    return {"state": "complete" if is_whole and not is_open else "incomplete"}


LOOKS = {"variables": _variables, "complete": _complete, "is_complete": _is_complete}


class _Moments:
    """The time of the session's own code in a look."""

    def __init__(self):
        self.end = perf_counter() + ALL_MOMENTS

    def call(self, step, value):
        """The result of a step; None if it fails or takes too long."""
        deadline = min(self.end, perf_counter() + MOMENT)

        def trace(*_):
            if perf_counter() > deadline:
                raise KeyboardInterrupt
            return trace

        def traced(value):
            before = sys.gettrace()
            sys.settrace(trace)
            try:
                return step(value)
            finally:
                sys.settrace(before)

        if perf_counter() > self.end:
            return None
        try:
            return attempt(traced, value, otherwise=lambda _: None)
        except KeyboardInterrupt:  # by the host, too
            return None


class _Nowhere(io.TextIOBase):
    def write(self, text):
        return len(text)


def _namespace():
    return sys.modules["__main__"].__dict__


def _class_of(value):
    return str.__str__(_name_of(type(value)))


def _cut(text, most):
    text = str.__str__(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"
