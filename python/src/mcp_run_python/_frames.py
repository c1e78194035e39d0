"""HTML that the code showed, in a frame that keeps it in: `src/frames/` of the program, for notebooks."""

from __future__ import annotations

import re
from functools import cache

from ._program import program_folder

__all__ = ["to_frame", "to_framed_page"]

# As in `src/frames/to_framed_page.ts`.
_UNGUARDED = re.compile(r"srcdoc|(?<=<)link(?=[ \t\n\f\r/>])", re.ASCII | re.IGNORECASE)


def to_frame(html: str, title: str = "") -> str:
    """Markup of a sandboxed frame, which gives the HTML no way to the notebook, and no network."""
    page = _escape(to_framed_page(html, title))
    # A frame has no height of its own, and cannot tell that of its page; a person drags its corner.
    style = "width: 100%; height: 420px; border: 0; resize: vertical; overflow: hidden"
    return f'<iframe title="{_escape(title)}" sandbox="allow-scripts" style="{style}" srcdoc="{page}"></iframe>'


def to_framed_page(html: str, title: str = "") -> str:
    """As `toFramedPage()` of the program, from the same files."""
    page = _read("guard.html") + _UNGUARDED.sub(r"no\g<0>", html)
    values = {"page": page, "title": title}
    return re.sub(r"\{(\w+)\}", lambda found: _escape(values[found[1]]), _read("framed_page.html"))


@cache
def _read(name: str) -> str:
    return (program_folder() / "src/frames" / name).read_text("utf-8")


def _escape(text: str) -> str:
    """Text within the quotes of an attribute."""
    return re.sub(r'[&<>"]', lambda found: f"&#{ord(found[0])};", text)
