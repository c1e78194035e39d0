"""The module `components`: WebAssembly components of the user, and their functions."""

import difflib
import sys
from keyword import iskeyword
from importlib.machinery import ModuleSpec
from types import ModuleType

from . import mcp_tools
from .component_values import to_json, to_python
from .mcp_errors import MCPError, waited
from .mcp_signatures import bind, to_signature

PACKAGE = "components"
MOST_NAMED = 5


class ComponentError(MCPError):
    """A function of a component that has failed.

    payload: the value of the function's error, if it has one; else None.
    """

    def __init__(self, message="", *, server=None, tool=None, payload=None):
        super().__init__(message, server=server, tool=tool, cause="ComponentError")
        self.payload = payload


ComponentError.__module__ = PACKAGE


class Component(ModuleType):
    """A component, whose functions are attributes."""

    def __init__(self, name, alias, description=None):
        super().__init__(f"{PACKAGE}.{alias}", description)
        self.__spec__ = ModuleSpec(self.__name__, None)
        self.__package__ = PACKAGE
        vars(self)["_name"] = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        _check(self)
        short = _by_short_names(self._name).get(name)
        return _function(self, short or mcp_tools.find_tool(self._name, name, is_alias=True))

    def __dir__(self):
        _check(self)
        return [*_by_short_names(self._name), *mcp_tools.tools_now(self._name)]

    def __repr__(self):
        return f"<component {self._name!r}>"

    def __reduce__(self):
        return _of_name, (self.__name__.removeprefix(f"{PACKAGE}."),)


_package = ModuleType(PACKAGE, "The WebAssembly components of this sandbox: `from components import name`.")
_shown = {}  # components by alias


def begin(facts):
    """Makes the module show the components of a run; there is no such module without one."""
    mcp_tools.forget()
    names = {it["alias"] for it in facts}
    for alias in [*_shown]:
        if alias not in names:
            sys.modules.pop(f"{PACKAGE}.{alias}", None)
            del _shown[alias]
    for it in facts:
        if it["alias"] not in _shown:
            _shown[it["alias"]] = Component(it["name"], it["alias"], it.get("description"))
    if not _shown:
        if sys.modules.get(PACKAGE) is _package:
            del sys.modules[PACKAGE]
        return
    space = vars(_package)
    space.clear()
    spec = ModuleSpec(PACKAGE, None, is_package=True)
    space.update(__name__=PACKAGE, __package__=PACKAGE, __path__=[], __spec__=spec, __getattr__=_missing)
    space.update(_shown, ComponentError=ComponentError, __all__=[*_shown])
    sys.modules[PACKAGE] = _package
    sys.modules.update({f"{PACKAGE}.{alias}": component for alias, component in _shown.items()})


def _check(component):
    """A session may have a component that is not configured any more."""
    _of_name(component.__name__.removeprefix(f"{PACKAGE}."))


def _of_name(alias):
    return _shown[alias] if alias in _shown else _missing(alias)


def _missing(name):
    if name.startswith("__"):
        raise AttributeError(f"module {PACKAGE!r} has no attribute {name!r}")
    near = difflib.get_close_matches(name, _shown, MOST_NAMED) or [*_shown][:MOST_NAMED]
    raise AttributeError(f"There is no component {name!r}: there are {', '.join(near) or 'none'}.")


def _by_short_names(server):
    """The tools of a component by the names of their functions alone, where only one has that name."""
    tools = mcp_tools.tools_now(server)
    short = [alias.rpartition("__")[2] for alias in tools]
    return {
        name: tool
        for name, tool in zip(short, tools.values())
        if short.count(name) == 1 and name not in tools and _is_short(name)
    }


def _is_short(name):
    return name.isidentifier() and not iskeyword(name) and not name.startswith("_")


def _function(component, tool):
    functions = tool.functions
    if PACKAGE not in functions:
        functions[PACKAGE] = _make_function(component, tool.facts)
    return functions[PACKAGE]


def _make_function(component, facts):
    server, name, alias = component._name, facts["name"], facts["alias"]
    outputs = (facts.get("output_schema") or {}).get("properties", {})

    async def aio(*args, **arguments):
        _check(component)
        given = bind(facts, server, args, arguments)
        result = await mcp_tools.call_tool(server, name, to_json(given, facts["input_schema"]))
        if result.is_error:
            raise _failed(result, outputs.get("error"))
        if "result" in outputs:
            return to_python((result.data or {}).get("result"), outputs["result"])
        if not result["content"]:
            return None
        return result if any(block.get("type") != "text" for block in result["content"]) else result.text

    def _failed(result, schema):
        payload = (result.data or {}).get("error")
        return ComponentError(
            result.text, server=server, tool=name, payload=payload if schema is None else to_python(payload, schema)
        )

    def call(*args, **arguments):
        return waited(aio(*args, **arguments), server, name)

    signature = to_signature(facts)
    for function, path in ((call, alias), (aio, f"{alias}.aio")):
        function.__name__, function.__qualname__ = path.rpartition(".")[2], path
        function.__module__ = component.__name__
        function.__doc__ = facts.get("doc") or facts.get("description")
        function.__signature__ = signature
        function.__annotations__ = {it.name: it.annotation for it in signature.parameters.values()}
    call.aio = aio
    return call
