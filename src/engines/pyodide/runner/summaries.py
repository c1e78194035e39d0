"""A large value in few characters: its type, its shape, its head and its tail.

A model reads this in the place of the value, which `values.py` writes whole. That
module also writes each part, and bounds it: the value may be hostile.
"""

import sys
from collections import deque
from itertools import islice

from .tables import is_default
from .values import Container, Writer, attempt, guest_frames, name_of, plainer, shown

# A value that is written in fewer characters has no summary. The host asks for one above
# 4,000 of JavaScript's, which counts up to twice as many: two for an emoji.
SHORT = 2000
ROOM = 1600  # characters of a summary, about
MEMBERS = 20  # of a container that keeps its form, and whose large members are summed up
LEVELS = 8  # of such containers
ENDS = 5  # items of a head, and of a tail
EDGES = 3  # the same of each dimension of an array, as numpy prints it; 1 of more than two
ITEM = 300  # characters of an item
LEAST = 40
LARGE = 100  # characters in which a large member can be summed up
GAP = "…"


def summary_text(value, text):
    """A summary, as JSON, of a value that is this text of JSON; None if that is short, or if the value is a text."""
    if len(text) <= SHORT or text.startswith('"'):
        return None
    with guest_frames():
        return attempt(_sum_up, value, ROOM, LEVELS, otherwise=lambda *_: None)


def _sum_up(value, room, levels):
    whole = _whole(value, room)
    if whole is not None:
        return whole
    if ends := _ends_of(value):
        return _sliced(value, ends, room)
    plain = attempt(plainer, value, otherwise=shown)
    if type(plain) is not Container:
        return _written(shortened(plain, room) if type(plain) is str else plain, room)
    opened = _opened(plain, room, levels - 1) if plain.total <= MEMBERS and levels else None
    return opened or _headed(value, attempt(plainer, value, otherwise=shown), room)


def _opened(container, room, levels):
    """In its own form; large members share what the small ones leave of the room, if that is enough."""
    container.take(MEMBERS)
    items = list(container.items)
    least = max(room // max(len(items), 1), LEAST)
    texts = [_whole(item, least) for _, item in items]
    left = room - sum(len(text) for text in texts if text)
    share = max(left // max(texts.count(None), 1), least)
    if share < LARGE and None in texts:
        return None
    texts = [text or _sum_up(item, share, levels) for text, (_, item) in zip(texts, items)]
    return _joined(container, [key for key, _ in items], texts)


def _headed(value, container, room):
    """Type, length, head and tail; a set has no tail."""
    source = iter(container.source)
    head = list(islice(source, ENDS))
    tail = [] if container.sort else _last(value, container, source)
    parts = {"type": _type(value), "length": container.total}
    for name, end in {"head": head, "tail": tail}.items():
        pairs = [*end] if container.keyed else [(None, item) for item in end]
        texts = _fill([item for _, item in pairs], room // 2, is_tail=name == "tail")
        pairs = pairs[len(pairs) - len(texts) :] if name == "tail" else pairs
        parts[name] = _Written(_joined(container, [key for key, _ in pairs], texts))
    if not tail:
        del parts["tail"]
    return _object(parts)


def _last(value, container, source):
    """The last items, of those behind the head; a list may have millions."""
    for base in () if container.keyed else (list, tuple):
        if issubclass(type(value), base):
            return base.__getitem__(value, slice(max(ENDS, container.total - ENDS), None))
    return deque(source, maxlen=ENDS)


def _sliced(value, ends, room):
    """Type, shape, head and tail of a table or an array."""
    parts = {"type": _type(value)}
    if dtype := attempt(lambda it: str(it.dtype), value, otherwise=lambda _: None):
        parts["dtype"] = shortened(dtype, ITEM)
    parts["shape"] = attempt(lambda it: [int(size) for size in it.shape[:MEMBERS]], value, otherwise=lambda it: [len(it)])
    for name, end in zip(("head", "tail"), attempt(ends, value, otherwise=lambda _: ([], []))):
        plain = attempt(plainer, end, otherwise=shown)
        is_list = type(plain) is Container and not plain.keyed
        if is_list:
            texts = _fill(list(islice(plain.source, ENDS)), room // 2, is_tail=name == "tail")
        parts[name] = _Written(_joined(plain, [], texts) if is_list else _written(end, room // 2))
    return _object(parts)


def _fill(items, room, is_tail):
    """The texts of so many items as have the room, from a head's start or a tail's end."""
    texts = []
    for item in items[::-1] if is_tail else items:
        left = room - sum(map(len, texts))
        text = _item(item, max(min(ITEM, left), LEAST))
        if texts and len(text) > left:
            break
        texts.append(text)
    return texts[::-1] if is_tail else texts


def _item(value, room):
    ends = _ends_of(value)
    return _whole(value, room) or (_sliced(value, ends, room) if ends else _written(value, room))


def _joined(container, keys, texts):
    if not container.keyed:
        return f"[{','.join(texts)}]"
    names, writer = {}, Writer(ITEM)
    return f"{{{','.join(f'{writer.name(key, names)}:{text}' for key, text in zip(keys, texts))}}}"


class _Written(str):
    """Text that is JSON."""


def _object(parts):
    texts = (it if type(it) is _Written else _written(it, sys.maxsize) for it in parts.values())
    return f"{{{','.join(f'{_written(name, ITEM)}:{text}' for name, text in zip(parts, texts))}}}"


def _whole(value, room):
    """A value as JSON, if it has the room."""
    writer = Writer(room)
    text = writer.write(value)
    return text if writer.room >= 0 else None


def _written(value, room):
    """A value as JSON, cut to the room; the cut is noted within."""
    return Writer(room).write(value)


def shortened(text, room):
    """The head and the tail of a text that is longer than the room, and a note of what is left out."""
    if len(text) <= room:
        return text
    half = max(room // 2, 1)
    return f"{text[:half]}{GAP} {len(text) - 2 * half:,} characters left out {GAP}{text[-half:]}"


def _type(value):
    kind = type(value)
    package = str(kind.__module__).partition(".")[0]
    name = str.__str__(name_of(kind))
    return shortened(name if package in ("builtins", "__main__") else f"{package}.{name}", ITEM)


def _ends_of(value):
    """The function that gives a head and a tail of a table or an array; None for all other values."""
    for base in type(value).__mro__:
        name = f"{str(base.__module__).partition('.')[0]}.{base.__name__}"
        if name in ENDS_OF:
            return ENDS_OF[name]
    return None


def _array_ends(array):
    edges = EDGES if array.ndim <= 2 else 1
    rows = ENDS if array.ndim == 1 else edges
    return [[_corners(row, edges) for row in end] for end in (array[:rows], array[-rows:])]


def _corners(array, edges):
    """The ends of each dimension."""
    if not getattr(array, "ndim", 0):
        return array
    if len(array) <= 2 * edges:
        return [_corners(row, edges) for row in array]
    head, tail = ([_corners(row, edges) for row in end] for end in (array[:edges], array[-edges:]))
    return [*head, GAP, *tail]


def _rows(value):
    head, tail = value.iloc[:ENDS], value.iloc[-ENDS:]
    # Without numbers, as its shape says which rows these are.
    return head, tail.reset_index(drop=True) if is_default(value.index) else tail


def _head_and_tail(value):
    return value.head(ENDS), value.tail(ENDS)


def _parts(value):
    return value.slice(0, ENDS), value.slice(max(len(value) - ENDS, 0))


# By package and class.
ENDS_OF = {
    "numpy.matrix": lambda value: _array_ends(value.A),  # its rows are matrices
    "numpy.ndarray": _array_ends,
    "pandas.DataFrame": _rows,
    "pandas.Series": _rows,
    "pandas.Index": lambda value: (value[:ENDS], value[-ENDS:]),
    "pandas.ExtensionArray": lambda value: (value[:ENDS], value[-ENDS:]),
    "polars.DataFrame": _head_and_tail,
    "polars.Series": _head_and_tail,
    "pyarrow.Table": _parts,
    "pyarrow.ChunkedArray": _parts,
    "pyarrow.Array": _parts,
}
