"""The functions of code mode."""

import inspect
import sys

from .mcp_errors import MCPArgumentError, MCPError, ask, ask_now, waited
from .mcp_proxies import Server, Servers
from .mcp_tools import call_by_any_name, tools_now, tools_of
from .unawaited import noted

MOST_DOCS = 20
DETAILS = ("summary", "full")

mcp_servers = Servers()
_start = {"servers": [], "configured": []}
_told = set()  # servers that this run was told to load


def start(facts):
    """Begins a run, with the facts of the host."""
    _start.update(servers=facts["servers"], configured=facts["configured"])
    _told.clear()


def discovered_servers(detailed=False):
    """The names of all configured servers; with detailed=True dicts of name and description."""
    if not detailed:
        return tuple(it["name"] for it in _start["configured"])
    return tuple({"name": it["name"], "description": it.get("description")} for it in _start["configured"])


async def list_servers():
    """The names of the servers that this run may call."""
    return list_servers_sync()


def list_servers_sync():
    """The names of the servers that this run may call."""
    return tuple(it["name"] for it in _start["servers"])


async def list_tools(server):
    """The tools of a loaded server, as dicts of MCP with their alias: name, alias, description, inputSchema, ..."""
    return _listed(await tools_of(_name_of(server)))


def list_tools_sync(server):
    """The tools of a loaded server as list_tools() gives them, without await."""
    return _listed(tools_now(_name_of(server)))  # tools that are known need no wait


async def call_tool(server, tool, arguments=None):
    """Calls a tool by its name or alias, with its arguments as a dict; the result is a dict with .text and .data."""
    return await call_by_any_name(_name_of(server), _text("tool", tool), {} if arguments is None else arguments)


def describe_server(name):
    """A loaded server as a dict of name, alias, tools, cwd and description."""
    name = _name_of(name)
    facts = next((it for it in _start["servers"] if it["name"] == name), None)
    if facts is None:
        mcp_servers[name]  # raises
    return _described(facts, list_tools_sync(name))


def list_loaded_server_metadata():
    """All loaded servers as describe_server() gives them; "error" says why one gives no tools."""
    described = []
    for facts in _start["servers"]:
        try:
            described.append(_described(facts, list_tools_sync(facts["name"])))
        except MCPError as error:
            described.append(_described(facts, []) | {"error": f"{error}"})
    return tuple(described)


async def query_tool_docs(server, tool=None, detail="summary"):
    """Docs of a server's tools, or of one tool; detail="full" adds the input schema and a typed stub."""
    server, tool = _name_of(server), None if tool is None else _text("tool", tool)
    given = {"server": server, "tool": tool, "detail": _detail(detail)}
    return (await ask("mcp_tool_docs", given, server, tool))["docs"]


async def search_tool_docs(query, *, limit=5, detail="summary"):
    """Docs of the tools that fit some words best, of all servers whose tools are known; limit is 1 to 20.

    The list's `not_loaded` names servers of these tools that this run cannot call,
    `unknown` servers whose tools are not known yet.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_DOCS:
        raise MCPArgumentError(
            f"limit must be an integer from 1 to {MOST_DOCS}, not {limit!r:.100}", cause="ValueError"
        )
    given = {"query": _text("query", query), "limit": limit, "detail": _detail(detail)}
    answer = await ask("mcp_search_tools", given)
    docs = FoundDocs(answer["docs"])
    docs.not_loaded, docs.unknown = tuple(answer["notLoaded"]), tuple(answer["unknown"])
    _tell(docs)
    return docs


def capability_summary():
    """The manual of these functions, as text."""
    return ask_now("mcp_manual", {})["text"]


class FoundDocs(list):
    """Docs that a search has found, the best first."""

    not_loaded = unknown = ()


def _tell(docs):
    """Says, once in a run, which servers the code has found and cannot call, and which a search does not know."""
    if listed := _not_told(docs.not_loaded):
        print(f"[to call these tools, name their servers in the call: servers=[{listed}]]", file=sys.stderr)
    loaded = list_servers_sync()
    if listed := _not_told([name for name in docs.unknown if name in loaded]):
        print(f"[not searched, as they have not told their tools: {listed}]", file=sys.stderr)
    if listed := _not_told([name for name in docs.unknown if name not in loaded]):
        print(
            f"[not searched, as their tools are not known so far: to search them, too, name them: servers=[{listed}]]",
            file=sys.stderr,
        )


def _not_told(servers):
    names = [name for name in servers if name not in _told]
    _told.update(names)
    more = ", ..." if len(names) > MOST_DOCS else ""
    return ", ".join(f'"{name}"' for name in names[:MOST_DOCS]) + more


def _name_of(server):
    """The name of a server that is given by name, alias or proxy; the host judges names."""
    if isinstance(server, Server):
        return server._name
    if server in (facts["name"] for facts in _start["configured"]):
        return server
    for facts in _start["configured"]:
        if facts["alias"] == server:
            return facts["name"]
    return _text("server", server)


def _text(name, value):
    if isinstance(value, str):
        return value
    raise MCPArgumentError(f"{name} must be a string, not {value!r:.100}")


def _detail(value):
    if value in DETAILS:
        return value
    raise MCPArgumentError(f'detail must be "summary" or "full", not {value!r:.100}', cause="ValueError")


def _listed(tools):
    return [tool.listed() for tool in tools.values()]


def _described(facts, tools):
    described = {"name": facts["name"], "alias": facts["alias"], "tools": tools}
    return described | {"cwd": facts.get("cwd"), "description": facts.get("description")}


def _without_await(function):
    """The same function, which waits by itself."""
    signature = inspect.signature(function)

    def wait(*args, **arguments):
        coroutine = function(*args, **arguments)
        given = signature.bind(*args, **arguments).arguments
        return waited(coroutine, _name_of(given["server"]) if "server" in given else None, given.get("tool"))

    wait.__name__ = wait.__qualname__ = f"{function.__name__}_sync"
    wait.__doc__ = f"{function.__doc__.splitlines()[0]} As {function.__name__}(), without await."
    wait.__signature__ = signature
    return wait


PUBLIC = (
    *(discovered_servers, list_servers, list_servers_sync, list_tools, list_tools_sync),
    *(describe_server, list_loaded_server_metadata, capability_summary),
    *(form for it in (call_tool, query_tool_docs, search_tool_docs) for form in (it, _without_await(it))),
)
FUNCTIONS = {it.__name__: noted(it) if inspect.iscoroutinefunction(it) else it for it in PUBLIC}
for _public in (*FUNCTIONS.values(), FoundDocs):
    _public.__module__ = "mcp.runtime"
