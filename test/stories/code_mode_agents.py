"""Agents in code mode: what their models see of a call that failed and of the call that is mended.

Usage: code_mode_agents.py (pydantic-ai | fastmcp | langchain) COMMAND ARGUMENT...
"""

import asyncio
import json
import sys

CODE = 'r = await mcp_time.get_current_time(timezone="UTC")\nr.data["timezone"]'
CALLS = [
    {"code": CODE.replace("timezone=", "zone="), "servers": ["time"]},
    {"code": CODE},
    {"code": CODE, "servers": ["time"]},
    {"code": "mcp_time.get_current_time", "servers": ["tiem"]},
]
NAME = "run_python"


async def pydantic_ai(command):
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    seen, script = [], [*CALLS]

    def answer(messages, info):
        part = messages[-1].parts[-1]
        if hasattr(part, "tool_call_id"):
            seen.append(part.model_response() if part.part_kind == "retry-prompt" else part.model_response_str())
        if not script:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(NAME, script.pop(0))])

    # A model may need some attempts: the limit counts those in a row.
    toolset = MCPToolset(StdioTransport(command[0], command[1:]), init_timeout=600, max_retries=3)
    await Agent(FunctionModel(answer), toolsets=[toolset]).run("Go")
    return seen


async def fastmcp(command):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    from fastmcp.exceptions import ToolError

    seen = []
    async with Client(StdioTransport(command[0], command[1:])) as client:
        for call in CALLS:
            try:
                seen.append((await client.call_tool(NAME, call)).content[0].text)
            except ToolError as error:
                seen.append(str(error))
    return seen


async def langchain(command):
    from langchain_mcp_adapters.client import MultiServerMCPClient
    from langchain_mcp_adapters.tools import load_mcp_tools

    server = {"transport": "stdio", "command": command[0], "args": command[1:]}
    async with MultiServerMCPClient({"python": server}).session("python") as session:
        [tool] = await load_mcp_tools(session)
        seen = []
        for call in CALLS:
            message = await tool.ainvoke({"type": "tool_call", "id": "1", "name": NAME, "args": call})
            seen.append(message.text if isinstance(message.text, str) else message.text())
    return seen


library, *command = sys.argv[1:]
agents = {"pydantic-ai": pydantic_ai, "fastmcp": fastmcp, "langchain": langchain}
print(json.dumps(asyncio.run(agents[library](command))))
