"""The official Python SDK as a client, by both of its major versions."""

from contextlib import asynccontextmanager

try:  # 2.x, both eras
    from mcp import Client, StdioServerParameters
except ImportError:  # 1.x, 2025-11-25
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    Client = None


@asynccontextmanager
async def connect(era, where):
    is_url = where[0].startswith("http")
    server = where[0] if is_url else StdioServerParameters(command=where[0], args=where[1:])
    if Client:
        mode = "legacy" if era == "2025-11-25" else era
        async with Client(server, mode=mode) as client:
            yield client
        return
    transport = streamable_http_client(server) if is_url else stdio_client(server)
    async with transport as (read, write, *_), ClientSession(read, write) as client:
        await client.initialize()
        yield client
