"""LangChain's adapters: the messages that a model gets."""

from calls import CALLS, TOOL, main, seen
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


async def story(client):
    async with client.session("python") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        told = {"tools": list(tools)}
        for name, code in CALLS.items():
            call = {"type": "tool_call", "id": name, "name": TOOL, "args": {"python_code": code}}
            message = await tools[TOOL].ainvoke(call)
            blocks = message.content_blocks
            text = "\n".join(block["text"] for block in blocks if block["type"] == "text")
            pictures = [block["base64"] for block in blocks if block["type"] == "image"]
            told[name] = {**seen(text, pictures), "status": message.status}
    return told


async def tell(http, command):
    server = {"transport": "stdio", "command": command[0], "args": command[1:]}
    stdio = MultiServerMCPClient({"python": server})
    return {"stdio": await story(stdio), "HTTP": await story(http)}


main(tell, MultiServerMCPClient)
