"""The library for Python as a bench's client: it reads an order a line, and answers with times in milliseconds."""

import asyncio
import sys
from time import perf_counter

from mcp_run_python import code_sandbox


async def evaluate(sandbox, number):
    answer = await sandbox.eval("n + 1", {"n": number})
    assert answer == {"status": "success", "output": [], "return_value": number + 1}, answer


async def enter_and_evaluate(number):
    async with code_sandbox() as sandbox:
        await evaluate(sandbox, number)
        return perf_counter()


async def enter(count):
    """Enters so many sandboxes at once; gives the time until each has evaluated something."""
    started = perf_counter()
    return max(await asyncio.gather(*map(enter_and_evaluate, range(count)))) - started


async def call(sandbox, number):
    started = perf_counter()
    await evaluate(sandbox, number)
    return perf_counter() - started


async def main():
    async with code_sandbox() as kept:
        print("ready", flush=True)
        for order, number in map(str.split, sys.stdin):
            taken = await (enter(int(number)) if order == "enter" else call(kept, int(number)))
            print(taken * 1000, flush=True)


asyncio.run(main())
