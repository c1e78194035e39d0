"""pydantic-ai: what its model gets, and how many failing scripts end an agent."""

import base64

from calls import CALLS, TOOL, main, seen
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent, UnexpectedModelBehavior
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

TWO_ERRORS = {
    "an error": CALLS["an error"],
    "a picture, then an error": CALLS["a picture, then an error"],
}


def make_model(calls, told):
    """A model that makes the calls in turn, tells what it saw, and ends with the last of it."""
    script = list(calls.items())

    def answer(messages, info):
        told["tools"] = [tool.name for tool in info.function_tools]
        part = messages[-1].parts[-1]
        if hasattr(part, "tool_call_id"):
            told[part.tool_call_id] = see(part)
        if not script:
            return ModelResponse([TextPart(see(part)["text"])])
        name, code = script.pop(0)
        return ModelResponse([ToolCallPart(TOOL, {"python_code": code}, name)])

    return FunctionModel(answer)


def see(part):
    items = part.content_items(mode="str")
    texts = [item for item in items if isinstance(item, str)]
    pictures = [item.data for item in items if not isinstance(item, str)]
    return seen("\n".join(texts), [base64.b64encode(data).decode() for data in pictures])


async def story(toolset, calls=CALLS):
    told = {}
    try:
        await Agent(make_model(calls, told), toolsets=[toolset]).run("Go")
    except UnexpectedModelBehavior as error:
        told["the end"] = seen(str(error))
    return told


async def tell(http, command):
    def connect(transport, **options):
        return MCPToolset(transport, init_timeout=600, **options)

    # Toolsets that share it find the same server.
    stdio = StdioTransport(command[0], command[1:])
    args = [*command[1:-1], "--error-results", command[-1]]
    told = {"stdio": await story(connect(stdio)), "HTTP": await story(http)}
    for name, toolset in {
        "two errors": connect(stdio),
        "two errors, max_retries": connect(stdio, max_retries=2),
        "two errors, failed": connect(stdio, tool_error_behavior="failed"),
        "two errors, --error-results": connect(StdioTransport(command[0], args)),
    }.items():
        told[name] = await story(toolset, TWO_ERRORS)
    return told


main(tell, MCPToolset, make_model({"an answer": "6 * 7"}, {}))
