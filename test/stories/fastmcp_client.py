"""fastmcp's client: what a program gets that hands it to a model."""

from calls import CALLS, TOOL, main, seen
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError


async def story(client):
    async with client:
        told = {"tools": [tool.name for tool in await client.list_tools()]}
        for name, code in CALLS.items():
            try:
                result = await client.call_tool(TOOL, {"python_code": code})
            except ToolError as error:
                told[name] = seen(str(error))
                continue
            blocks = result.content
            text = "\n".join(block.text for block in blocks if block.type == "text")
            pictures = [block.data for block in blocks if block.type == "image"]
            told[name] = seen(text, pictures)
            told[f"{name}, as data"] = seen(str(result.data))
    return told


async def tell(http, command):
    stdio = Client(StdioTransport(command[0], command[1:]))
    return {"stdio": await story(stdio), "HTTP": await story(http)}


main(tell, Client)
