"""The story of code mode by the official Python SDK; prints the structured contents of its answers.

Usage: code_mode.py ERA CODE (URL | COMMAND ARGUMENT...), where CODE is a JSON list of Python sources.
"""

import asyncio
import json
import sys

from connecting import connect


async def tell(era, chapters, where):
    answers = []
    async with connect(era, where) as client:
        for index, code in enumerate(chapters):
            arguments = {"code": code, "servers": ["filesystem", "memory", "time"]}
            if index == len(chapters) - 1:
                arguments["session"] = "new"
            result = await client.call_tool("run_python", arguments)
            answers.append(result.model_dump(mode="json", by_alias=True)["structuredContent"])
    return answers


era, chapters, *where = sys.argv[1:]
print(json.dumps(asyncio.run(tell(era, json.loads(chapters), where))))
