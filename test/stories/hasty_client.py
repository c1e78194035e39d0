"""fastmcp's client, as short programs use it: it leaves its server to be killed.

Without a handle it opens a session; with one it goes on with it. It prints the handle, and what the call gave.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

TOOL = "run_python_code"


async def call(handle, code, command):
    async with Client(StdioTransport(command[0], command[1:])) as client:
        result = await client.call_tool(TOOL, {"python_code": code, "session": handle})
        return result.structured_content


handle, code, *command = sys.argv[1:]
print(json.dumps(asyncio.run(call(handle, code, command))))
