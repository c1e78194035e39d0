# Baseline: a FastMCP server with a tool that does nothing; prints its address.
import socket
import sys

from fastmcp import FastMCP

mode, = sys.argv[1:]
server = FastMCP("noop")


@server.tool
def noop(number: int) -> dict[str, int]:
    return {"number": number}


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
print(f"http://127.0.0.1:{port}/mcp", flush=True)
server.run(
    transport="http",
    host="127.0.0.1",
    port=port,
    stateless_http=mode == "stateless",
    show_banner=False,
    log_level="error",
)
