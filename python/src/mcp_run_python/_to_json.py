"""Values of Python that JSON has no form for, in the forms that pydantic gives them."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import singledispatch
from os import PathLike, fspath
from typing import Any
from uuid import UUID


@singledispatch
def to_json(value: Any) -> Any:
    """Gives a value that JSON has a form for, or that `to_json()` takes in turn; `json` calls it for all others.

    Raises:
        TypeError: If there is no such form.
        UnicodeDecodeError: If bytes are not text.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if not isinstance(value, type) and hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    raise TypeError(f"JSON has no form for {type(value).__name__}")


@to_json.register(set)
@to_json.register(frozenset)
@to_json.register(deque)
def _(values: Any) -> Any:
    return [*values]


@to_json.register(Mapping)
def _(mapping: Any) -> Any:
    return {**mapping}


@to_json.register(bytes)
@to_json.register(bytearray)
def _(text: Any) -> Any:
    return text.decode()


@to_json.register(Decimal)
@to_json.register(UUID)
def _(value: Any) -> Any:
    return str(value)


@to_json.register(PathLike)
def _(path: Any) -> Any:
    return fspath(path)


@to_json.register(Enum)
def _(member: Any) -> Any:
    return member.value


@to_json.register(date)
@to_json.register(datetime)
@to_json.register(time)
def _(moment: Any) -> Any:
    return moment.isoformat().replace("+00:00", "Z")


@to_json.register(timedelta)
def _(span: Any) -> Any:
    sign, span = ("-", -span) if span < timedelta() else ("", span)
    days = f"{span.days}D" if span.days else ""
    rest = span - timedelta(days=span.days)
    hours, left = divmod(rest.seconds, 3600)
    minutes, seconds = divmod(left, 60)
    fraction = f".{rest.microseconds:06}".rstrip("0") if rest.microseconds else ""
    parts = [(hours, f"{hours}H"), (minutes, f"{minutes}M"), (seconds or fraction, f"{seconds}{fraction}S")]
    clock = "".join(text for count, text in parts if count)
    return f"{sign}P{days}T{clock}" if clock else f"{sign}P{days or 'T0S'}"
