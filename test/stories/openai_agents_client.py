"""OpenAI's Agents SDK: the input items that a model gets."""

from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from calls import CALLS, TOOL, main, seen


def make_model(calls):
    """A model that makes the calls in turn, and ends with the last that it saw."""

    def repeat_last(call):
        return [assistant_message(see(call.input[-1]["output"])["text"])]

    return ScriptedModel(
        [
            *(
                [function_call(TOOL, {"python_code": code}, call_id=name)]
                for name, code in calls.items()
            ),
            ModelStep.respond(repeat_last),
        ]
    )


def see(output):
    if isinstance(output, str):
        return seen(output)
    texts = [item["text"] for item in output if item["type"] == "input_text"]
    urls = [item["image_url"] for item in output if item["type"] == "input_image"]
    return seen("\n".join(texts), [url.removeprefix("data:image/png;base64,") for url in urls])


async def story(server):
    model = make_model(CALLS)
    async with server:
        await Runner.run(Agent("Analyst", model=model, mcp_servers=[server]), "Go")
    last = model.calls[-1]
    outputs = {item["call_id"]: item["output"] for item in last.input if "output" in item}
    told = {name: see(output) for name, output in outputs.items()}
    return {"tools": [tool.name for tool in last.tools], **told}


async def tell(http, command):
    set_tracing_disabled(True)
    params = {"command": command[0], "args": command[1:]}
    stdio = MCPServerStdio(params, client_session_timeout_seconds=660)
    told = {"stdio": await story(stdio), "HTTP": await story(http)}
    http.use_structured_content = True
    told["HTTP, use_structured_content"] = await story(http)
    return told


main(tell, MCPServerStreamableHttp, make_model({"an answer": "6 * 7"}))
