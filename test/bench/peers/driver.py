"""Calls a peer that is a library of Python, or the interpreter itself.

Its arguments are the peer and the folder of its packages. It reads a request a
line and answers in a line; the clock runs around each call of the library.
"""

import contextlib
import io
import json
import os
import sys
from time import perf_counter

peer, folder = sys.argv[1:]
sys.path.insert(0, folder)


def open_plain(_):
    def kept(code):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(code, "main.py", "exec"), {"__name__": "__main__"})
        return output.getvalue().rstrip()

    return {"kept": kept}


def open_monty(stack):
    from pydantic_monty import Monty

    binary = os.path.join(folder, "bin", "monty")
    # Two sessions are open at once: the kept one, and a fresh one.
    pool = stack.enter_context(
        Monty(binary_path=binary, min_processes=2, max_processes=2)
    )
    session = stack.enter_context(pool.checkout())

    def fresh(code):
        with pool.checkout() as session:
            return session.feed_run(code)

    return {"fresh": fresh, "kept": session.feed_run}


def open_eryx(_):
    from eryx import Sandbox, Session

    def to_text(result):
        return result.stdout.decode().rstrip()

    session = Session()
    return {
        "fresh": lambda code: to_text(Sandbox().execute(code)),
        "kept": lambda code: to_text(session.execute(code)),
    }


def answer(modes, request):
    call = modes[request["mode"]]
    outcomes = []
    for _ in range(request["calls"]):
        started = perf_counter()
        value = call(request["code"])
        wall = (perf_counter() - started) * 1000
        outcomes.append({"answer": str(value), "wallMs": wall})
    return {"outcomes": outcomes}


opening = {"plain": open_plain, "monty": open_monty, "eryx": open_eryx}
with contextlib.ExitStack() as stack:
    modes = opening[peer](stack)
    for line in sys.stdin:
        try:
            reply = answer(modes, json.loads(line))
        except Exception as error:
            last = (str(error).splitlines() or [type(error).__name__])[-1]
            reply = {"error": f"cannot run: {last}"}
        print(json.dumps(reply), flush=True)
