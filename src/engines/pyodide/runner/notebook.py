"""Reads the lines that notebooks add to Python: magics (%) and commands of a shell (!)."""

import io
import re
import sys
import tokenize

from .hints import INSTALLS, PROCESSES, SAYS, cannot_run, way_to_have

LINE = re.compile(r"^([ \t]*)(!.*|\w+ *= *!.*|%%?[a-z].*|pip3? install .*)", re.MULTILINE)
# Magics for the look of a notebook, and those that measure the code behind them.
WITHOUT_EFFECT = re.compile(
    r"%%?(?:autoreload|capture|colors|config|load_ext|matplotlib|precision|prun|reload_ext|time|timeit|xmode)\b"
)
PICTURES = re.compile(r"%matplotlib(?: +(?:inline|agg))?")  # figures are shown in any case
TIMES = re.compile(r"%%?(?:prun|time)")
MEASURING = re.compile(r"(%%?(?:prun|time|timeit)(?: +-[a-z]\w*(?: +\d+)?)* +)(?=\S)")
INSTALL = re.compile(r"[!%]*(?:\S+ +(?:-m +)?)?(?:pip3?|conda|mamba) +install +(.*)")
NOT_PACKAGES = re.compile(r"(?<!\S)-[crt] *\S+|\s(?:[#;&|>]|\d>).*")
PACKAGE = re.compile(r"""(?<!\S)["']?([A-Za-z](?:[\w.-]*\w)?)(?:\[[\w,-]*\])?(?:[<>=!~][^\s"']*)?["']?(?!\S)""")
MOST_NAMED = 5
MOST_SHOWN = 60  # characters of each


def maybe_python(code, installable):
    """Puts Python in the place of a notebook's lines, at the same place; None if code has no such lines."""
    if not LINE.search(code):
        return None
    source, made, ignored = io.StringIO(code, None), [], []
    is_between, depth, is_python = True, 0, True

    def read():
        nonlocal is_python, is_between
        line = source.readline()
        found = LINE.match(line) if is_between else None
        is_between = False  # until its tokens have come: it may begin a string
        if found:
            is_python = False
            indent, text = found.groups()
            python = _python_for(text.rstrip(), installable)
            if not python and not PICTURES.fullmatch(text.rstrip()):
                ignored.append(text)
            elif measuring := MEASURING.match(text):
                ignored.append(measuring[1])
            if text.startswith("%%") and python.startswith("raise"):
                source.read()  # another language
            line = f"{indent}{python or indent and 'pass'}\n"
        made.append(line)
        return line

    try:
        # A line is read only once all tokens before it have come.
        for token in tokenize.generate_tokens(read):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
            is_between = depth == 0 and token.type in (tokenize.NEWLINE, tokenize.NL)
    except (SyntaxError, tokenize.TokenError):
        pass  # the compiler tells it better
    if is_python:
        return None
    if ignored:
        names = dict.fromkeys(_shortened(text.strip()) for text in ignored)
        told = f"Ignored, as this is not a notebook: {'; '.join([*names][:MOST_NAMED])}"
        if any(map(TIMES.match, names)):
            told += f". {SAYS['measures']}"
        print(told, file=sys.__stderr__)
    return "".join(made) + source.read()


def _shortened(text):
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _python_for(text, installable):
    """Python with the effect of a line; empty if it would have none."""
    if measuring := MEASURING.match(text):
        start = measuring.end()  # columns stay as they are
        return f"{'0':{start - 1}};{text[start:]}"
    if WITHOUT_EFFECT.match(text):
        return ""
    install = INSTALL.match(text)
    packages = PACKAGE.findall(NOT_PACKAGES.sub("", install[1])) if install else []
    missing = [name for name in packages if not _is_installed(name)]
    if packages and not missing:
        return ""
    if refused := next(filter(None, map(cannot_run, missing)), None):
        reason = f"There is no pip here, and {refused}"
    elif missing:
        reason = f"There is no pip here, {way_to_have(missing, installable)}"
    elif install:
        reason = f"There is no pip here. {INSTALLS}"
    elif text.startswith("%"):
        reason = f"There is no IPython here, and no {text.split()[0]}. Do it in Python."
    else:
        reason = PROCESSES
    return f"raise NotImplementedError({reason!r})"


def _is_installed(name):
    import importlib.metadata

    try:
        return bool(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        return False
