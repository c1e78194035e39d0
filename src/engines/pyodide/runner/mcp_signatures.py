"""Signatures of tools: made of the parameters that the host has read in their schemas."""

import ast
import inspect
import re
import types
import typing

from .mcp_errors import MCPArgumentError

NAMES = {
    **{kind.__name__: kind for kind in (bool, bytes, dict, float, int, list, object, set, str, tuple)},
    **{name: getattr(typing, name) for name in ("Any", "Literal", "Optional", "Union")},
    "None": None,
}
LONGEST_TYPE = 500
# A dict as the only argument has all arguments if the first parameter is of these types.
PLAIN_TYPES = {"bool", "float", "int", "list", "None", "str"}


def to_signature(tool):
    """The signature of a tool; any keywords if its parameters cannot be Python's."""
    returns = to_annotation(tool.get("returns"))
    rest = [inspect.Parameter("more", inspect.Parameter.VAR_KEYWORD)]
    try:
        parameters = [_to_parameter(it) for it in tool["parameters"]]
        return inspect.Signature(parameters + (rest if takes_more(tool) else []), return_annotation=returns)
    except ValueError:  # the schema comes from the server
        return inspect.Signature(rest, return_annotation=returns)


def to_annotation(text):
    """The type that a text names; the text itself if it names anything else than types of JSON."""
    if not text:
        return inspect.Signature.empty
    if len(text) > LONGEST_TYPE:
        return _Text(f"{text[:LONGEST_TYPE]}…")
    try:
        return _type_of(ast.parse(text, mode="eval").body)
    except Exception:
        return _Text(text)


def takes_more(tool):
    """Whether a tool takes other arguments than its parameters."""
    schema = tool["input_schema"]
    if len(schema.get("properties", ())) > len(tool["parameters"]):
        return True  # the host has left some out
    more = schema.get("additionalProperties")
    return more is None and not tool["parameters"] and "properties" not in schema or bool(more)


def bind(tool, server, args, options):
    """The arguments of a call as JSON; checks their names, and leaves their values to the server."""
    parameters = tool["parameters"]
    if len(args) == 1 and not options and _holds_all(args[0], parameters):
        args, options = (), args[0]
    if len(args) > len(parameters):
        raise _refused(tool, server, f"takes {len(parameters)} positional arguments, and {len(args)} were given")
    given = dict(zip((it["key"] for it in parameters), args))
    keys = {it["key"]: it["key"] for it in parameters} | {it["name"]: it["key"] for it in parameters}
    for name, value in options.items():
        key = keys.get(name)
        if key is None and not takes_more(tool):
            raise _refused(tool, server, f'has no parameter "{name}"')
        key = name if key is None else key
        if key in given:
            raise _refused(tool, server, f'got "{name}" twice')
        given[key] = value
    missing = [it["name"] for it in parameters if it["isRequired"] and it["key"] not in given]
    if missing:
        raise _refused(tool, server, f"lacks {', '.join(missing)}")
    # Code often passes None for no value.
    unset = {it["key"] for it in parameters if _may_be_unset(it)}
    return {key: value for key, value in given.items() if not (value is LEFT_OUT or value is None and key in unset)}


def _holds_all(value, parameters):
    if not isinstance(value, dict) or not value or not parameters:
        return False
    names = {it[kind] for it in parameters for kind in ("name", "key")}
    return names.issuperset(value) and PLAIN_TYPES.issuperset(re.findall(r"\w+", parameters[0]["type"]))


def _may_be_unset(parameter):
    return not parameter["isRequired"] and "default" not in parameter and "None" not in parameter["type"]


def _refused(tool, server, what):
    told = f'Tool "{tool["name"]}" of server "{server}" {what}. Its signature: {tool["alias"]}{to_signature(tool)}'
    return MCPArgumentError(told, server=server, tool=tool["name"])


def _to_parameter(it):
    default = inspect.Parameter.empty if it["isRequired"] else it.get("default", LEFT_OUT)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(it["name"], kind, default=default, annotation=to_annotation(it["type"]))


def _type_of(node):
    match node:
        case ast.Name(id=name):
            return NAMES[name]
        case ast.Attribute(value=ast.Name(id="typing"), attr=name):
            return NAMES[name]
        case ast.Constant(value=None):
            return None
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _type_of(left) | _type_of(right)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=values)):
            return typing.Literal[tuple(ast.literal_eval(value) for value in values)]
        case ast.Subscript(value=ast.Name(id="Literal"), slice=value):
            return typing.Literal[ast.literal_eval(value)]
        case ast.Subscript(value=kind, slice=ast.Tuple(elts=parts)):
            return _type_of(kind)[tuple(map(_type_of, parts))]
        case ast.Subscript(value=kind, slice=part):
            return _type_of(kind)[_type_of(part)]
        case ast.Constant(value=types.EllipsisType()):
            return ...
    raise ValueError


class _Text(str):
    """A text that signatures show without quotes."""

    def __repr__(self):
        return str(self)


LEFT_OUT = _Text("...")  # the default of a parameter whose default the server alone knows
