"""Pages: objects that are meant for a browser, such as charts, as HTML that is whole by itself.

Where a page is shown it reaches no network: its scripts are put into it.
"""

import os
import re
from collections import namedtuple

from . import fonts
from .values import attempt, name_of, well_formed

LONGEST_TITLE = 200  # as the host takes them
LONGEST_ABOUT = 500
LONGEST_TEXT = 160
MOST_HOSTS = 3
LOOKED_AT = 100_000  # characters of a page, for its title and its text
CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f]")
OUTSIDE = re.compile(
    r"""<(script|link|img|iframe|embed|video|audio|source)\b[^>]{0,300}?\s(?:src|href)\s*=\s*["']?(?:https?:)?//([^\s"'/>]+)([^\s"'>?#]*)[^>]{0,300}>"""
    r"""(?:\s*</script\s*>)?""",
    re.IGNORECASE,
)
PUT_IN = ("script", "link")


class HTML:
    """HTML to show to the user: `display(HTML("<b>text</b>"))`, or as the value of the last expression.

    data: a whole page, or a part of one. Where it is shown, it reaches no network.
    title: plain text; that of the page if left out.
    """

    def __init__(self, data, title=None):
        if not isinstance(data, str):
            hint = ": decode it, by .decode()" if isinstance(data, (bytes, bytearray)) else ""
            raise TypeError(f"HTML takes a string, not {str.__str__(name_of(type(data)))}{hint}")
        self.data = data
        self.title = title

    def _repr_html_(self):
        return self.data


HTML.__module__ = "mcp_run_python"


# Objects of a package that are pages: a name, and functions of such an object, which may raise.
Kind = namedtuple("Kind", "name title details to_html")


def kind_of_html(markup):
    """The kind of an object that has given its HTML."""

    def title(value):
        return isinstance(value, HTML) and value.title or _title_in(markup)

    return Kind("HTML", title, lambda _: [_text_in(markup)], lambda _: markup)


def title_of(kind, value):
    return _line(attempt(lambda it: kind.title(it) or "", value, otherwise=empty), LONGEST_TITLE)


def about(kind, value, markup=""):
    """A line for a model: the kind of a page, and how much is on it."""
    details = attempt(lambda it: ", ".join(filter(None, kind.details(it))), value, otherwise=empty)
    hosts = [*dict.fromkeys(found[2] for found in OUTSIDE.finditer(markup))][:MOST_HOSTS]
    needs = f"loads from {', '.join(hosts)}, which it cannot reach where it is shown: it may stay empty"
    return _line(f"{kind.name}: {details}" if details else kind.name, LONGEST_ABOUT // 2) + (
        f"; {_line(needs, LONGEST_ABOUT // 2 - 2)}" if hosts else ""
    )


def put_in(markup):
    """Puts scripts and style sheets into a page that would load them from a network, as far as files of their names are here."""
    wanted = {os.path.basename(found[3]) for found in OUTSIDE.finditer(markup) if found[1].lower() in PUT_IN}
    found = find(wanted) if wanted else {}

    def replaced(match):
        path = found.get(os.path.basename(match[3]))
        if path is None or match[1].lower() not in PUT_IN:
            return match[0]
        text = read(path)
        if match[1].lower() == "link":
            return f"<style>{text.replace('</style', '')}</style>"
        return f"<script>{text.replace('</script', '<\\/script')}</script>"

    return OUTSIDE.sub(replaced, markup)


def clean(markup):
    """HTML without characters that it may not have."""
    return CONTROLS.sub("\ufffd", well_formed(markup))


def find(names):
    """Paths of files, by name: of the code, of mounts and of packages."""
    return {os.path.basename(path): path for path in reversed([*fonts.paths()]) if os.path.basename(path) in names}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def _line(text, longest):
    """Plain text in a line of so many characters as JavaScript counts them."""
    text = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", well_formed(f"{text}")).split())
    units = text.encode("utf-16-le")
    if len(units) <= 2 * longest:
        return text
    return units[: 2 * longest - 2].decode("utf-16-le", "ignore") + "…"


def empty(_):
    return ""


def _title_in(markup):
    found = re.search(r"<title[^>]*>([^<]*)", markup[:LOOKED_AT], re.IGNORECASE)
    return _unescaped(found[1]) if found else ""


def _text_in(markup):
    """The beginning of what a reader sees of a page."""
    seen = re.sub(r"<(script|style|head|title)\b.*?(</\1\s*>|$)", " ", markup[:LOOKED_AT], flags=re.IGNORECASE | re.DOTALL)
    text = _line(_unescaped(re.sub(r"<[^>]*(>|$)", " ", seen)), LONGEST_TEXT)
    return f'"{text}"' if text else ""


def _unescaped(text):
    import html  # a large table, which most runs do not need

    return html.unescape(text)
