"""Pictures, audio and other bytes in the results of tools: shown by display(), and never as base64 in a text."""

import base64
import contextlib

from .values import RULES

MEDIA = ("image", "audio")
_is_whole = False


class Data(str):
    """Base64 as the protocol has it: as a string of it to code, in short wherever it would be read."""

    def __str__(self):
        return f"<{len(self):,} characters of base64: .images and .audio of the result have the bytes>"

    __repr__ = __str__

    def __format__(self, spec):
        return format(f"{self!s}", spec)


class Block(dict):
    """A block with `Data`, as it is to code; in short to what lists it or makes JSON of it."""

    def items(self):
        if _is_whole:
            return super().items()
        return {key: f"{value}" if isinstance(value, Data) else value for key, value in super().items()}.items()

    def __reduce_ex__(self, protocol):
        return Block, (dict(self),)


class Media:
    """A picture or audio that a tool gave.

    mime_type: its kind, as the tool says it.
    data: its bytes.
    """

    def __init__(self, mime_type, encoded):
        self.mime_type = mime_type
        self._encoded = encoded

    @property
    def data(self):
        return base64.b64decode(self._encoded)

    def __repr__(self):
        return f"<{self.mime_type}, {len(self.data):,} bytes>"


class MediaList(list):
    """Pictures, or audio, of a result."""


for _kind in (Media, MediaList):
    _kind.__module__ = "mcp"
RULES[Data] = Data.__str__


@contextlib.contextmanager
def whole():
    """JSON that is made within has all the data."""
    global _is_whole
    before, _is_whole = _is_whole, True
    try:
        yield
    finally:
        _is_whole = before


def wrapped(result):
    """The result of a tool, in which base64 is `Data`."""
    blocks = result.get("content")
    if not isinstance(blocks, list):
        return result
    return {**result, "content": [_wrapped_block(block) if isinstance(block, dict) else block for block in blocks]}


def _wrapped_block(block):
    if block.get("type") in MEDIA and isinstance(block.get("data"), str):
        return Block(block, data=Data(block["data"]))
    inner = block.get("resource")
    if isinstance(inner, dict) and isinstance(inner.get("blob"), str):
        return Block(block, resource=Block(inner, blob=Data(inner["blob"])))
    return block


def maybe_media(block):
    """The picture or audio of a block; None for all others."""
    if block.get("type") in MEDIA and isinstance(block.get("data"), str):
        return Media(block.get("mimeType") or f"{block['type']}/*", block["data"])
    inner = block.get("resource")
    kind = inner.get("mimeType") if isinstance(inner, dict) else None
    if isinstance(kind, str) and kind.partition("/")[0] in MEDIA and isinstance(inner.get("blob"), str):
        return Media(kind, inner["blob"])
    return None


def of_kind(blocks, kind):
    found = map(maybe_media, blocks)
    return MediaList(it for it in found if it and f"{it.mime_type}".startswith(f"{kind}/"))
