"""A client's story by the official Python SDK; prints all that its model would see.

Usage: story.py ERA TABLE (URL | COMMAND ARGUMENT...)
"""

import asyncio
import json
import re
import sys

from calls import PICTURE
from connecting import connect

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=memoryMiB\":)\d+|(?<=memoryMiB\\\":)\d+")


async def tell(era, table, where):
    told = []

    def say(name, result):
        seen = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        for key in ("ttlMs", "cacheScope", "resultType", "_meta"):
            seen.pop(key, None)
        told.append([name, seen])
        return seen

    async with connect(era, where) as client:

        async def call(tool, name=None, progress=None, **arguments):
            result = await client.call_tool(tool, arguments, progress_callback=progress)
            return say(name or tool, result).get("structuredContent", {})

        async def run(name, code, **more):
            return await call("run_python_code", name, python_code=code, **more)

        tools = await client.list_tools()
        told.append(["tools", [tool.name for tool in tools.tools]])
        loaded = await run(
            "a table",
            "import csv\nrows = list(csv.DictReader(open('table.csv')))\nlen(rows)",
            session="new",
            files=[{"path": "table.csv", "text": table}],
        )
        session = {"session": loaded["session"]}
        await run("a question", "sorted(rows[0])", **session)
        await run("a picture", PICTURE)
        await run("an error", "rows[0]['colour']", **session)
        await run("a time-out", "while True: pass", timeout=0.3, **session)

        async def on_step(progress, total, message):
            told.append(["a step", [progress, total, message]])

        code = "notify_progress('half', 1, 2)"
        await run("progress", code, progress=on_step, **session)

        begun = asyncio.Event()

        async def on_begin(*_):
            begun.set()

        # A client of 1.x does not tell the server that it gives up.
        code = "notify_progress('on')\nwhile True: pass"
        given_up = asyncio.create_task(
            client.call_tool(
                "run_python_code",
                {"python_code": code, "timeout": 2, **session},
                progress_callback=on_begin,
            )
        )
        await begun.wait()
        given_up.cancel()
        await asyncio.wait([given_up])
        told.append(["given up", given_up.cancelled()])

        wrote = await run(
            "a file", "open('first.txt', 'w').write(str(sorted(rows[0].values())))", **session
        )
        say("its text", await client.read_resource(wrote["files"][0]["uri"]))
        fork = await call("fork_session", **session)
        copy = {"session": fork["session"]}
        await run("a broken copy", "import os; os.abort()", **copy)
        await run("the first goes on", "len(rows)", **session)
        await run("wrong arguments", "1", timeout="soon")
        await call("end_session", "the end", **session)
        await run("after the end", "rows", **session)
    return told


era, table, *where = sys.argv[1:]
with open(table) as file:
    told = asyncio.run(tell(era, file.read(), where))
text = json.dumps(told, separators=(",", ":"))
print(VARYING.sub("0", ID.sub("ID", text)))
