"""Values of components, between Python and JSON, by the schemas of their types."""

import base64
import math

SAFE_INTEGER = 2**53 - 1
DIGITS = ("^-?[0-9]{1,19}$", "^[0-9]{1,20}$")  # patterns of integers of 64 bits, as texts
ODD_NUMBERS = ["NaN", "Infinity", "-Infinity"]  # floats that JSON has not, as texts


def to_json(value, schema):
    """Bytes as base64, and numbers that JSON has not as texts: integers of 64 bits, and floats."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(value).decode()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE_INTEGER:
        return str(value) if _is_long(schema) else value
    if isinstance(value, float) and not math.isfinite(value) and _is_float(schema):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: to_json(item, _of_key(schema, key, value)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item, _of_item(schema, at)) for at, item in enumerate(value)]
    return value


def to_python(value, schema):
    """The reverse; a tuple of the component is a tuple."""
    for one in _choices(schema):
        if isinstance(value, str) and one.get("contentEncoding") == "base64":
            return base64.b64decode(value)
        if isinstance(value, str) and _is_long(one):
            return int(value)
        if isinstance(value, str) and _is_odd(one):
            return float(value)
    if isinstance(value, dict):
        return {key: to_python(item, _of_key(schema, key, value)) for key, item in value.items()}
    if isinstance(value, list):
        items = [to_python(item, _of_item(schema, at)) for at, item in enumerate(value)]
        return tuple(items) if any("prefixItems" in one for one in _choices(schema)) else items
    return value


def _choices(schema):
    """The schemas that a value may be of."""
    if not isinstance(schema, dict):
        return []
    inner = schema.get("anyOf") or schema.get("oneOf") or ()
    return [schema, *(choice for one in inner for choice in _choices(one))]


def _is_long(schema):
    return any(one.get("pattern") in DIGITS for one in _choices(schema))


def _is_float(schema):
    return any(_is_odd(one) for one in _choices(schema))


def _is_odd(one):
    return one.get("enum") == ODD_NUMBERS


def _of_key(schema, key, value):
    """The schema of an object's key: that of its own case, if the object is one of several."""
    for one in _choices(schema):
        properties = one.get("properties", {})
        tag = properties.get("tag", {}).get("const")
        if key in properties and (tag is None or tag == value.get("tag")):
            return properties[key]
    return {}


def _of_item(schema, at):
    for one in _choices(schema):
        if at < len(one.get("prefixItems", ())):
            return one["prefixItems"][at]
        if isinstance(one.get("items"), dict):
            return one["items"]
    return {}
