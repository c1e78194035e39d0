"""The modules of code mode: `mcp`, `mcp.runtime`, `mcp.servers` and `mcp.servers.<alias>`."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from .mcp_errors import MCPArgumentError, MCPImportError, MCPNameError
from .mcp_names import FoundDocs, mcp_servers
from .mcp_proxies import Server
from .mcp_media import Media, MediaList
from .mcp_results import MCPKeyError, Result

PACKAGE = "mcp.servers"
KINDS = (FoundDocs, MCPArgumentError, MCPImportError, MCPKeyError, MCPNameError, Media, MediaList, Result, Server)

_shown = {}  # proxies in sys.modules, by the name of their module


def _module(name, doc, is_package):
    module = ModuleType(name, doc)
    module.__spec__ = ModuleSpec(name, None, is_package=is_package)
    module.__package__ = name if is_package else name.rpartition(".")[0]
    if is_package:
        module.__path__ = []
    return module


mcp = _module("mcp", "The MCP servers of this sandbox, and the functions for them.", True)
runtime = _module("mcp.runtime", "The functions of code mode; see capability_summary().", False)
servers = _module(PACKAGE, "The MCP servers that this run may call, by alias.", True)
MODULES = {module.__name__: module for module in (mcp, runtime, servers)}
_start = {name: {**vars(module)} for name, module in MODULES.items()}


def _missing(alias):
    """Reads an attribute of `mcp.servers` that is not there."""
    if alias.startswith("__"):
        raise AttributeError(f'module "{PACKAGE}" has no attribute "{alias}"')
    return mcp_servers[alias]


def show(names, proxies):
    """Makes the modules show the names of a run, and its proxies by alias; whatever code has done to them."""
    for path in [*_shown]:
        if sys.modules.get(path) is _shown[path]:
            del sys.modules[path]
        del _shown[path]
    kinds = {kind.__name__: kind for kind in KINDS}
    _fill("mcp", names, kinds | {"runtime": runtime, "servers": servers})
    _fill("mcp.runtime", names, kinds)
    _fill(PACKAGE, proxies, {"__getattr__": _missing})
    _shown.update({f"{PACKAGE}.{alias}": proxy for alias, proxy in proxies.items()})
    sys.modules.update(MODULES | _shown)
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


def _fill(module, names, more):
    space = vars(MODULES[module])
    space.clear()
    # A server may have the name of a part of a module, such as "__path__".
    space.update(names | _start[module] | more | {"__all__": [*names]})


class Finder:
    """Says how modules of `mcp` that are not there can be had."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith(f"{PACKAGE}."):
            alias = name.removeprefix(f"{PACKAGE}.")
            raise MCPImportError(mcp_servers._not_loaded(alias), server=alias)
        if name.startswith("mcp."):
            raise ModuleNotFoundError(
                f"There is no {name} here: `mcp` is the module of this sandbox's own MCP servers. "
                "Call their tools as in `await mcp_servers[name].tool(...)`; capability_summary() says more.",
                name=name,
            )
        return None
