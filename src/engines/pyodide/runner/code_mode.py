"""Code mode: the names by which code calls MCP servers, put in their place for each run."""

import contextlib
import re
import warnings
from types import ModuleType

from pyodide.webloop import WebLoop

from . import hints, mcp_kept, mcp_modules, mcp_names, mcp_run_python, mcp_tools, unawaited
from .mcp_errors import MCPError
from .mcp_proxies import Server

NOT_THE_SDK = (
    "`mcp` is here the module of this sandbox's own MCP servers, and not MCP's SDK. "
    "Call a tool as in `await mcp_servers[name].tool(...)`; capability_summary() says more."
)
PROXY = re.compile(r"mcp_(\w+)")

_bound = {}  # names that were put into the namespace, with their objects
_proxies = {}  # of this session, by name and alias


def enter_code_mode():
    """Called once in each interpreter of code mode, before its runs."""
    if _hint not in hints.others:
        hints.others.append(_hint)
        warnings._warn_unawaited_coroutine = unawaited.warn
        unawaited.patch_loop(WebLoop)


def begin(namespace, facts):
    """Puts the names of a run in their place; a variable of the code's own that has such a name stays."""
    mcp_names.start(facts)
    mcp_tools.forget()
    unawaited.begin()
    loaded = {it["name"]: _proxy(it) for it in facts["servers"]}
    by_alias = {server._alias: server for server in loaded.values()}
    mcp_names.mcp_servers._load(loaded, facts["configured"])
    names = {
        **mcp_names.FUNCTIONS,
        "MCPError": MCPError, "mcp_servers": mcp_names.mcp_servers, "runtime": mcp_modules.runtime,
        "LOADED_MCP_SERVERS": tuple(loaded),
        **mcp_kept.NAMES,
        "artifacts": mcp_kept.artifacts,
        **{f"mcp_{alias}": server for alias, server in by_alias.items()},
    }
    mcp_modules.show(names, by_alias)
    _bind(namespace, names)
    mcp_kept.bind_saved(namespace, facts["saved"], [*names, *mcp_run_python.__all__])


def is_ours(name, value):
    """Whether a name of the namespace is one of code mode, and not the code's."""
    return _bound.get(name, _bound) is value


def leave_out_told(error, shown):
    """Removes the cause of an `MCPError`, whose message says the same, from a traceback to show."""
    while error is not None and shown is not None:
        with contextlib.suppress(Exception):  # the error's class may be the code's own
            if isinstance(error, MCPError) and f"{error.__cause__}" in f"{error}":
                shown.__cause__ = None
        after = "__context__" if shown.__cause__ is None else "__cause__"
        error, shown = getattr(error, after), getattr(shown, after)


def _proxy(facts):
    key = facts["name"], facts["alias"], facts.get("description")
    if key not in _proxies:
        _proxies[key] = Server(*key)
    return _proxies[key]


def _bind(namespace, names):
    for name in [*_bound]:
        if name in namespace and is_ours(name, namespace[name]):
            del namespace[name]
    _bound.clear()
    for name, value in names.items():
        if name not in namespace:
            namespace[name] = _bound[name] = value


def _hint(error):
    """The hint for an error of code that uses these names."""
    if isinstance(error, (AttributeError, KeyError, TypeError)) and "'coroutine' object" in str(error):
        return "Await a call before its result is used: (await server.tool(...)).text, or server.tool.sync(...).text"
    if isinstance(error, ImportError) and error.name == "mcp" and not isinstance(error, MCPError):
        return NOT_THE_SDK
    if isinstance(error, AttributeError) and isinstance(error.obj, ModuleType):
        return _hint_of_module(error.obj.__name__)
    if isinstance(error, AttributeError) and error.obj is mcp_names.mcp_servers:
        return f'A server is an item: mcp_servers["{error.name}"].'
    return _hint_of_name(error.name or "") if isinstance(error, NameError) else None


def _hint_of_module(name):
    for server in mcp_names.mcp_servers.values():
        if server._alias == name:
            return f'{name} is a module of Python here. The server "{server._name}" is mcp_{name}.'
    return None


def _hint_of_name(name):
    servers = mcp_names.mcp_servers
    for server in servers.values():
        if name in mcp_tools.known(server._name):
            return f'{name} is a tool of server "{server._name}": mcp_{server._alias}.{name}'
    aliases = [server._alias for server in servers.values()]
    proxy = PROXY.fullmatch(name)
    return servers._not_loaded(proxy[1]) if proxy and proxy[1] not in aliases else None
