"""fastmcp's client, as short programs use it: it leaves its server to end by itself, or to be killed.

It prints what its call gave.
"""

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

TOOL = "run_python_code"


async def main(how, session, code, *command):
    async with Client(StdioTransport(command[0], command[1:])) as client:
        arguments = {"python_code": code, "session": session}
        while True:
            result = await client.call_tool(TOOL, arguments, raise_on_error=False)
            told = result.structured_content
            if how != "tries" or told["status"] != "busy":
                break
        print(json.dumps(told), flush=True)
        if how == "stays":
            await asyncio.to_thread(sys.stdin.read)


asyncio.run(main(*sys.argv[1:]))
