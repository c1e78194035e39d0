"""Any Python value as JSON text.

A rule makes a value one step plainer: a date becomes a string, a dataclass the
pairs of its fields. Containers are then opened one after the other, without
recursion, until only JSON is left.

The value may be hostile, or merely broken. So builtins are read by their own
methods, whatever a subclass defines; classes are asked, never instances, as
`__class__` and `__getattr__` can lie; and an error of guest code becomes a marker.
"""

import base64
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import io
import math
import pathlib
import sys
import uuid
from itertools import islice, repeat
from json.encoder import encode_basestring

from . import tables
from .integers import SAFE_INTEGER, digits

MAX_DEPTH = 100  # clients in Python read 200 levels of JSON at most, of which an answer has some
# A value that is cut here must be over the host's limit too: the host says that it was cut. The
# host counts what JavaScript writes: 0 for -0.0, less than half as long.
SLACK = 4
SHORT = 100  # strings up to here are never cut
# Frames for guest code, such as a __repr__ that calls itself: at 700 some of it
# overflows the WebAssembly stack, which ends the interpreter.
GUEST_FRAMES = 400
NO_MEMORY = '"<no memory to show the value>"'


def to_json_text(value, max_chars=100_000, on_note=None):
    """Writes any value as JSON that UTF-8 can carry.

    Stops soon after SLACK * max_chars characters (None: never), for the host to
    cut. Calls `on_note` for each note in the place of a table's rows, of which the
    host cannot know. Raises nothing but KeyboardInterrupt, which must end an endless
    __repr__.
    """
    room = sys.maxsize if max_chars is None else min(SLACK * max_chars, sys.maxsize)
    with guest_frames():
        writer = Writer(int(room), on_note)
        return attempt(writer.write, value, otherwise=lambda _: NO_MEMORY)


def table_text(value, max_chars):
    """A table as print() shows it, with its shape; None for all other values."""
    form = table_form(value)
    if form is None:
        return None
    with guest_frames():
        text = attempt(lambda it: well_formed(form(it)), value, otherwise=_none)
    return text if text and len(text) <= SLACK * max_chars else None


_has_few_frames = False


@contextlib.contextmanager
def guest_frames():
    """Leaves guest code a few frames, whatever recursion limit it has set; no more to such code that comes here again."""
    global _has_few_frames
    if _has_few_frames:
        yield
        return
    limit = sys.getrecursionlimit()
    try:
        _has_few_frames = True
        sys.setrecursionlimit(_depth(sys._getframe()) + GUEST_FRAMES)
        yield
    finally:
        sys.setrecursionlimit(limit)
        _has_few_frames = False


def _depth(frame):
    depth = 0
    while frame:
        depth += 1
        frame = frame.f_back
    return depth


def has_no_form(value):
    """Whether a value has no form other than its repr."""
    return _rule(type(value)) is _repr


def table_form(value):
    """The function that writes a table as text; None for all other values."""
    return attempt(lambda it: TEXTS.get(_rule(type(it))), value, otherwise=_none)


def well_formed(text):
    """A string that UTF-8 can carry; lone surrogates as print() to stderr shows them: \\ud800"""
    return str.encode(text, "utf-8", "backslashreplace").decode()


class Writer:
    def __init__(self, room, on_note=None):
        self.room = room
        self.on_note = on_note
        self.text = io.StringIO()
        self.path = set()  # ids of the open containers

    def write(self, value):
        opened = [iter([value])]
        while opened:
            for child in opened[-1]:
                plain = attempt(self.take, child, otherwise=shown)
                if type(child) is tables.Note and self.on_note:
                    self.on_note(plain)
                if type(plain) in SCALARS:
                    plain = self.fit(plain) if type(plain) is str else plain
                    self.put(SCALARS[type(plain)](plain))
                elif id(child) in self.path:
                    self.put('"<cycle>"')
                elif len(opened) > MAX_DEPTH:
                    self.put('"<too deep>"')
                else:
                    opened.append(self.open(id(child), plain))
                    break
            else:
                opened.pop()
        return self.text.getvalue()

    def open(self, identity, container):
        """Writes a container, and yields each value at its place."""
        self.path.add(identity)
        keyed, names = container.keyed, {}
        lead, done = "{" if keyed else "[", 0
        for key, item in container.items:
            if self.room <= 0:
                break
            self.put(f"{lead}{self.name(key, names)}:" if keyed else lead)
            yield item
            lead, done = ",", done + 1
        if done < container.total:
            name = f"{self.name('<cut>', names)}:" if keyed else ""
            self.put(f'{lead}{name}"<{container.total - done:,} more>"')
            lead = ","
        self.put(("" if lead == "," else lead) + ("}" if keyed else "]"))
        self.path.discard(identity)

    def take(self, value):
        """A scalar, or a container, read only as far as it can be shown."""
        plain = plainer(value)
        if type(plain) is Container:
            plain.take(self.room // 2 + 1)  # an item takes two characters
        return plain

    def name(self, key, names):
        plain = attempt(plainer, key, otherwise=shown)
        if type(plain) is Container:
            plain = shown(key)
        text = plain if type(plain) is str else SCALARS[type(plain)](plain)
        unique = text = self.fit(text)
        while unique in names:  # 1 and "1", or two objects that print the same
            names[text] += 1
            unique = f"{text} ({names[text]})"
        names[unique] = 1
        return encode_basestring(unique)

    def fit(self, text):
        room = max(self.room, SHORT)
        if len(text) > room:
            text = f"{text[:room]}<{len(text) - room:,} more characters>"
        return well_formed(text)

    def put(self, text):
        self.text.write(text)
        self.room -= len(text)


class Container:
    def __init__(self, source, total, keyed=False, sort=False):
        self.source, self.total, self.keyed, self.sort = source, total, keyed, sort

    def take(self, most):
        """Reads items before guest code can change what holds them."""
        items = list(islice(self.source, max(most, 1)))
        if self.sort:
            items = attempt(sorted, items, otherwise=lambda it: sorted(it, key=shown))
        self.items = items if self.keyed else zip(repeat(None), items)


def attempt(step, value, *more, otherwise=None):
    """A call of guest code, which may raise anything."""
    try:
        return step(value, *more)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return otherwise(value) if otherwise else _marker(value, error)


name_of = type.__dict__["__name__"].__get__  # a metaclass may have its own


def _marker(value, error):
    kind, raised = (str.__str__(name_of(type(it))) for it in (value, error))
    return f"<{kind} object: {raised}>"


def shown(value):
    return attempt(_repr, value)


def _repr(value):
    return str.__str__(repr(value))


def _none(_):
    return None


def plainer(value):
    return _rule(type(value))(value)


def _rule(kind):
    for base in kind.__mro__:
        if base in RULES:
            return RULES[base]
        names = vars(base)
        if "model_dump" in names:
            return _model
        if "__dataclass_fields__" in names:
            return _dataclass
        if "_fields" in names and issubclass(base, tuple):
            return _named_tuple
        foreign = f"{str(base.__module__).partition('.')[0]}.{base.__name__}"
        if foreign in FOREIGN_RULES:
            return FOREIGN_RULES[foreign]
    return _repr


def _integer(value):
    value = int.__int__(value)
    return value if -SAFE_INTEGER <= value <= SAFE_INTEGER else digits(value)


def _float(value):
    value = float.__float__(value)
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _bytes(value):
    data = memoryview(value).tobytes()
    try:
        return data.decode()
    except UnicodeDecodeError:
        return plainer({"base64": base64.b64encode(data).decode()})


def _text(value):
    return str.__str__(str(value))


def _iso(value):
    return str.__str__(value.isoformat())


def _items_of(base, **options):
    return lambda it: Container(base.__iter__(it), base.__len__(it), **options)


def _pairs_of(base):
    return lambda it: Container(base.items(it), base.__len__(it), keyed=True)


def _named_tuple(value):
    names = type(value)._fields
    return Container(zip(names, tuple.__iter__(value)), len(names), keyed=True)


def _dataclass(value):
    names = [field.name for field in dataclasses.fields(type(value))]
    pairs = ((name, attempt(getattr, value, name)) for name in names)
    return Container(pairs, len(names), keyed=True)


def _model(value):
    return plainer(value.model_dump())


def _datetime64(value):
    text = _text(value)
    return None if text == "NaT" else text


def _array(value):
    if value.ndim == 0:
        return plainer(value[()])
    if value.dtype.kind in "iu" and value.dtype.itemsize == 8 and value.size:
        if value.min() < -SAFE_INTEGER or value.max() > SAFE_INTEGER:
            value = value.astype(str)  # all of them, as in a column of a table
    return Container(iter(value), len(value))


def _enum(value):
    plain = value._value_
    return _text(value) if has_no_form(plain) else plainer(plain)


def _of_tables(rule):
    return lambda value: plainer(rule(value))


# The nearest class of a value decides: an IntEnum is an int.
RULES = {
    type(None): lambda value: None,
    bool: lambda value: value,
    int: _integer,
    float: _float,
    str: str.__str__,
    list: _items_of(list),
    tuple: _items_of(tuple),
    set: _items_of(set, sort=True),
    frozenset: _items_of(frozenset, sort=True),
    dict: _pairs_of(dict),
    collections.OrderedDict: _pairs_of(collections.OrderedDict),
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    datetime.date: _iso,  # and datetime
    datetime.time: _iso,
    datetime.timedelta: _text,
    decimal.Decimal: _text,
    uuid.UUID: _text,
    pathlib.PurePath: _text,
    enum.Enum: _enum,
}

# By package and class, so that this module imports no package that the guest has not imported.
FOREIGN_RULES = {
    "numpy.ndarray": _array,
    "numpy.matrix": lambda value: _array(value.A),  # its rows are matrices
    "numpy.MaskedConstant": lambda value: None,
    "numpy.floating": lambda value: _float(float(value)),
    "numpy.complexfloating": _text,
    "numpy.datetime64": _datetime64,  # its item() may be a mere count of nanoseconds
    "numpy.timedelta64": _datetime64,
    "numpy.dtype": _text,
    "numpy.generic": lambda value: plainer(value.item()),
    **{name: _of_tables(rule) for name, rule in tables.RULES.items()},
}
TEXTS = {FOREIGN_RULES[name]: tables.TEXTS[rule] for name, rule in tables.RULES.items() if rule in tables.TEXTS}

SCALARS = {
    type(None): lambda value: "null",
    bool: lambda value: "true" if value else "false",
    int: int.__repr__,
    float: float.__repr__,
    str: encode_basestring,
}
