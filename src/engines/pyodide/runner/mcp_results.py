"""The result of a tool, as the tool's server gave it."""

import json

from . import displays
from .mcp_media import Media, MediaList, maybe_media, of_kind

LONGEST_SHOWN = 500


class MCPKeyError(KeyError):
    """A key that the result of a tool does not have."""

    def __str__(self):  # KeyError's own has quotes
        return f"{self.args[0]}" if self.args else ""


class Result(dict):
    """The raw `CallResult` of MCP, with its parts at hand.

    text: the text blocks, joined by line ends.
    data: the structured content; without it the value of a text that is a JSON object or array; else None.
    images, audio: what it has of these; display() shows them, and .data of each has its bytes.
    is_error: whether the tool says that it has failed. That raises nothing.
    """

    @property
    def text(self):
        return "\n".join(block["text"] for block in self._blocks() if isinstance(block.get("text"), str))

    @property
    def data(self):
        if self.get("structuredContent") is not None:
            return self["structuredContent"]
        blocks = self._blocks()
        if len(blocks) != 1 or not self.text.lstrip().startswith(("{", "[")):
            return None
        try:
            return json.loads(self.text)
        except (ValueError, RecursionError):
            return None

    @property
    def images(self):
        return of_kind(self._blocks(), "image")

    @property
    def audio(self):
        return of_kind(self._blocks(), "audio")

    @property
    def is_error(self):
        return self.get("isError") is True

    def __getattr__(self, name):
        raise AttributeError(
            f'The result of a tool has no attribute "{name}": it has .text, .data, .images, .audio and .is_error, '
            'and as a dict all that the server gave, such as ["content"].'
        )

    def __missing__(self, key):
        raise MCPKeyError(
            f"The result of a tool has no key {key!r:.100}: its keys are {', '.join(map(repr, self))}. "
            "What the tool gives is in its .data, or else in its .text."
        )

    def __str__(self):
        """The text; a line for each block that is not a text."""
        lines = [_shown(block) for block in self._blocks()]
        data = self.get("structuredContent")
        if not lines and data is not None:
            return json.dumps(data, ensure_ascii=False)
        return "\n".join(lines)

    def __repr__(self):
        text = str(self)
        more = f"… ({len(text) - LONGEST_SHOWN:,} more characters)" if len(text) > LONGEST_SHOWN else ""
        failed = ", is_error=True" if self.is_error else ""
        return f"Result({text[:LONGEST_SHOWN]!r}{more}{failed})"

    def _blocks(self):
        blocks = self.get("content")
        return [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []


for _kind in (MCPKeyError, Result):
    _kind.__module__ = "mcp"


def _parts(result):
    """Texts and media in their order."""
    for block in result._blocks():
        yield maybe_media(block) or _shown(block)


displays.PARTS.update({Result: _parts, Media: lambda it: [it], MediaList: iter})


def _shown(block):
    """A block as text; pictures and the like by their kind and size."""
    if isinstance(block.get("text"), str):
        return block["text"]
    inner = block.get("resource")
    if isinstance(inner, dict) and isinstance(inner.get("text"), str):
        return inner["text"]
    facts = [block.get("type"), block.get("name"), block.get("mimeType"), block.get("uri")]
    if isinstance(inner, dict):
        facts += [inner.get("mimeType"), inner.get("uri")]
    for data in (block.get("data"), inner.get("blob") if isinstance(inner, dict) else None):
        if isinstance(data, str):
            facts.append(f"{len(data):,} characters of base64")
    return f"[{', '.join(str(fact) for fact in facts if fact)}]"
