"""Proxies: MCP servers as objects, and their tools as functions."""

import difflib
import inspect
import re
from collections.abc import Mapping

from pyodide.ffi import can_run_sync

from .mcp_errors import MCPError, MCPNameError, waited
from .mcp_signatures import bind, to_signature
from .mcp_tools import call_tool, find_tool, known, tools_now
from .unawaited import note

MOST_NAMED = 5
# Aliases that are no attributes of Python's own machinery: `_2d` is the tool "2d".
ASKED = re.compile(r"[^_]|_\d")


class Server:
    @property
    def __doc__(self):
        tools = ", ".join(known(self._name)) or f"dir(mcp_{self._alias}) names them"
        return f"""The MCP server "{self._name}".{f" {self._description}" if self._description else ""}

Its tools: {tools}.
They are functions, by alias as attributes, by their own name as items: `await mcp_{self._alias}.tool(name=value)`,
or `mcp_{self._alias}["tool"].sync(name=value)` without await. help(mcp_{self._alias}.tool) shows the parameters,
mcp_{self._alias}.list_tools() gives all tools with their schemas."""

    def __init__(self, name, alias, description=None):
        # A proxy stands for a module, too, which has a name.
        vars(self).update(_name=name, _alias=alias, _description=description, __name__=f"mcp.servers.{alias}")

    def list_tools(self):
        """The tools as list_tools() gives them. `await` is allowed, and not needed."""
        return _AwaitedList(tool.listed() for tool in tools_now(self._name).values())

    def __getattr__(self, name):
        if ASKED.match(name) or name in known(vars(self).get("_name")):
            return _to_function(self, find_tool(self._name, name, is_alias=True))
        raise AttributeError(f'No attribute "{name}". A tool whose name begins with "_" is an item: ["{name}"]')

    def __getitem__(self, name):
        return _to_function(self, find_tool(self._name, name))

    def __setattr__(self, name, value):
        raise AttributeError(f'Cannot set "{name}" of {self!r}: its attributes are the tools of the server.')

    def __dir__(self):
        try:
            tools = tools_now(self._name) if can_run_sync() else known(self._name)
        except MCPError:
            tools = {}
        return [*{**tools, "list_tools": None}]

    def __repr__(self):
        return f"<MCP server {self._name!r}>"

    def __reduce__(self):
        return Server, (self._name, self._alias, self._description)

    def __eq__(self, other):
        return isinstance(other, Server) and other._name == self._name

    def __hash__(self):
        return hash(self._name)


class Servers(Mapping):
    """The servers that this run may call, by name."""

    def __init__(self):
        self._loaded, self._configured = {}, ()

    def __getitem__(self, name):
        if name in self._loaded:
            return self._loaded[name]
        for server in self._loaded.values():
            if server._alias == name:
                return server
        raise MCPNameError(self._not_loaded(name), server=f"{name}")

    def __iter__(self):
        return iter(self._loaded)

    def __len__(self):
        return len(self._loaded)

    def __repr__(self):
        return f"<MCP servers {', '.join(map(repr, self._loaded)) or '(none)'}>"

    def _load(self, servers, configured):
        """Puts the proxies of a run, by name, in the place of those before."""
        self._loaded, self._configured = servers, configured

    def _not_loaded(self, name):
        """The sentence for a server, by name or alias, that this run may not call."""
        for facts in self._configured:
            if name in (facts["name"], facts["alias"]):
                return f'Server "{facts["name"]}" is not loaded: name it in the call, servers=["{facts["name"]}"].'
        words = {facts[kind]: facts["name"] for facts in self._configured for kind in ("alias", "name")}
        near = dict.fromkeys(words[it] for it in difflib.get_close_matches(f"{name}", words, MOST_NAMED))
        meant = " Did you mean " + ", ".join(f'"{it}"' for it in near) + "?" if near else ""
        return f'No server "{name}" is configured.{meant} discovered_servers() names all.'


for _kind in (Server, Servers):
    _kind.__module__ = "mcp"


def _to_function(server, tool):
    functions = tool.functions
    if server._alias not in functions:
        functions[server._alias] = _make_function(server._name, server._alias, tool.facts)
    return functions[server._alias]


def _make_function(server, server_alias, facts):
    name, alias = facts["name"], facts["alias"]

    def call(*args, **arguments):
        given = bind(facts, server, args, arguments)
        return note(f"mcp_{server_alias}.{alias}", lambda: call_tool(server, name, given))

    def call_sync(*args, **arguments):
        return waited(call_tool(server, name, bind(facts, server, args, arguments)), server, name)

    signature = to_signature(facts)
    for function, path in ((call, alias), (call_sync, f"{alias}.sync")):
        function.__name__, function.__qualname__ = path.rpartition(".")[2], path
        function.__module__ = f"mcp.servers.{server_alias}"
        function.__doc__ = facts.get("doc") or facts.get("description")
        function.__signature__ = signature
        function.__annotations__ = {it.name: it.annotation for it in signature.parameters.values()}
    call.sync = call_sync
    return inspect.markcoroutinefunction(call)


class _AwaitedList(list):
    def __await__(self):
        return self
        yield
