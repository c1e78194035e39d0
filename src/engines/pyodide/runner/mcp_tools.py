"""The tools of servers, as the host tells of them: asked for at their first use in a run."""

import asyncio
import difflib

from . import unawaited
from .mcp_errors import MCPArgumentError, MCPError, MCPNameError, ask, waited
from .mcp_media import wrapped
from .mcp_results import Result

MOST_NAMED = 5
SHORT = 2


class Tool:
    """A tool of a server; `facts` are those of the host."""

    def __init__(self, facts):
        self.facts = facts
        self.functions = {}  # by the alias of the server

    def listed(self):
        """The tool as the lists of code have it."""
        facts = self.facts
        more = {"outputSchema": facts.get("output_schema"), "annotations": facts.get("annotations")}
        return ListedTool(
            {"name": facts["name"], "alias": facts["alias"], "description": facts.get("description")},
            inputSchema=facts["input_schema"],
            **{key: value for key, value in more.items() if value is not None},
        )


class ListedTool(dict):
    """A tool as MCP has it, with its alias; ["input_schema"] is its inputSchema, too."""

    def __missing__(self, key):
        if key == "input_schema":
            return self["inputSchema"]
        raise KeyError(key)


_known = {}  # tools by alias, by the name of their server: those that this run has asked for
_lists = {}  # id and tools of the last list that a run of this session has heard, by the same
_asking = {}  # tasks, by the same
_renewed = set()  # servers that were asked again in this run


def forget():
    """Each run asks anew; the host does not repeat a list that has not changed."""
    for kept in (_known, _asking, _renewed):
        kept.clear()


def known(server):
    """The tools of a server as far as this run knows them."""
    return _known.get(server, {})


async def tools_of(server, fresh=False):
    """The tools of a server by alias; many that ask at a time share an answer."""
    if server in _known and not fresh:
        return _known[server]
    if server not in _asking:
        task = _asking[server] = asyncio.ensure_future(_ask(server))
        task.add_done_callback(lambda task: task.cancelled() or task.exception())
    return await asyncio.shield(_asking[server])


def tools_now(server, fresh=False):
    """The same without `await`."""
    if server in _known and not fresh:
        return _known[server]
    return waited(tools_of(server, fresh), server)


def find_tool(server, name, *, is_alias=False):
    """A tool by its alias or its name; asks the server again, once in a run, before it raises."""
    found = _find(tools_now(server), name, is_alias)
    if found is None and server not in _renewed:
        _renewed.add(server)
        found = _find(tools_now(server, fresh=True), name, is_alias)
    if found is None:
        raise MCPNameError(_no_tool(server, name), server=server, tool=f"{name}")
    return found


async def call_by_any_name(server, tool, arguments):
    """Calls a tool by its name, or by its alias."""
    try:
        found = _find(await tools_of(server), tool, is_alias=False)
    except MCPError as error:
        raise MCPError(f"{error}", server=server, tool=tool, cause=error.cause) from error.__cause__
    return await call_tool(server, found.facts["name"] if found else tool, arguments)


async def call_tool(server, tool, arguments):
    """Calls a tool by its name."""
    if not isinstance(arguments, dict):
        told = f'The arguments of tool "{tool}" must be a dict, not {type(arguments).__name__}.'
        raise MCPArgumentError(told, server=server, tool=tool)
    given = {"server": server, "tool": tool, "arguments": arguments}
    unawaited.note_made()
    return Result(wrapped(await ask("mcp_call_tool", given, server, tool)))


async def _ask(server):
    try:
        last, before = _lists.get(server, (None, {}))
        answer = await ask("mcp_list_tools", {"server": server} | ({"known": last} if last else {}), server)
    finally:
        _asking.pop(server, None)
    if "tools" in answer:
        tools = {facts["alias"]: Tool(facts) for facts in answer["tools"]}
        for alias, tool in tools.items():
            if alias in before and before[alias].facts == tool.facts:
                tools[alias] = before[alias]  # its functions stay the same objects
        _lists[server] = answer.get("id"), tools
    _known[server] = _lists[server][1]
    return _known[server]


def _find(tools, name, is_alias):
    by_name = next((tool for tool in tools.values() if tool.facts["name"] == name), None)
    by_alias = tools.get(name) if isinstance(name, str) else None
    return by_alias or by_name if is_alias else by_name or by_alias


def _no_tool(server, name):
    tools = known(server)
    aliases = {**{tool.facts["name"]: alias for alias, tool in tools.items()}, **{alias: alias for alias in tools}}
    word = f"{name}".lower()
    near = [aliases[it] for it in difflib.get_close_matches(word, aliases, MOST_NAMED)]
    near += [alias for alias in tools if word in alias or len(alias) > SHORT and alias in word]
    start = f'Server "{server}" has no tool "{name}".'
    if near:
        return f"{start} Nearest: {', '.join([*dict.fromkeys(near)][:MOST_NAMED])}"
    some = [*tools][:MOST_NAMED]
    more = f", and {len(tools) - len(some)} more" if len(tools) > len(some) else ""
    return f"{start} It has {', '.join(some) or 'none'}{more}."
