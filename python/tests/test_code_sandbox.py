"""The sandboxes of agents: real processes, real Python, one event loop."""

import asyncio
import inspect

import pytest

from mcp_run_python import CodeSandbox, CodeSession, Sandbox, SandboxError, Session, _launcher, code_sandbox


def test_eval_answers_as_the_predecessor_does():
    async def main():
        told = []
        async with code_sandbox(log_handler=lambda level, text: told.append((level, text))) as sandbox:
            code = "import sys\nprint('a')\nprint('b', file=sys.stderr)\nn + 1"
            right = await sandbox.eval(code, {"n": 1})
            wrong = await sandbox.eval("print('c')\n1 / 0")
        return right, wrong, told

    right, wrong, told = asyncio.run(main())
    assert right == {"status": "success", "output": ["a", "b"], "return_value": 2}
    assert [*wrong] == ["status", "output", "error"]
    assert (wrong["status"], wrong["output"]) == ("run-error", ["c"])
    assert wrong["error"].endswith("ZeroDivisionError: division by zero\n")
    assert ("info", "a") in told and ("warning", "b") in told


def test_runs_and_sandboxes_go_side_by_side():
    async def one(n):
        async with code_sandbox() as sandbox:
            results = await asyncio.gather(*(sandbox.run("n * k", {"n": n, "k": k}) for k in range(3)))
            return [result.value for result in results], sandbox._share.launcher

    async def main():
        async with code_sandbox() as sandbox:
            answers = await asyncio.gather(*(one(n) for n in range(5)))
            return answers, sandbox._share.launcher

    answers, launcher = asyncio.run(main())
    assert [values for values, _ in answers] == [[0, n, 2 * n] for n in range(5)]
    assert all(used is launcher for _, used in answers)
    assert not _launcher._shared


def test_a_cancelled_task_ends_its_run_and_no_other():
    async def main():
        async with code_sandbox(options={"max_concurrency": 1}) as sandbox, sandbox.session() as session:
            started = asyncio.Event()
            await session.run("x = 1")
            code = "print('on', flush=True)\nwhile True: pass"
            task = asyncio.create_task(session.run(code, on_output=lambda *_: started.set()))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # There is a single place for runs: it is free.
            return await session.run("x"), await sandbox.run("2")

    kept, fresh = asyncio.run(main())
    assert (kept.value, fresh.value) == (1, 2)


def test_a_task_that_is_cancelled_while_it_opens_a_sandbox_harms_no_other():
    async def one():
        async with code_sandbox() as sandbox:
            return (await sandbox.run("2")).value

    async def main():
        first, second = asyncio.create_task(one()), asyncio.create_task(one())
        await asyncio.sleep(0)  # Both have begun.
        first.cancel()
        return await asyncio.gather(first, second, return_exceptions=True)

    cancelled, value = asyncio.run(main())
    assert isinstance(cancelled, asyncio.CancelledError) and value == 2
    assert not _launcher._shared


def test_a_sandbox_is_opened_once():
    async def main():
        async with code_sandbox() as sandbox:
            with pytest.raises(SandboxError, match="open already"):
                await sandbox.__aenter__()
            return (await sandbox.run("1")).value

    assert asyncio.run(main()) == 1
    assert not _launcher._shared


def test_on_output_may_be_a_coroutine_function():
    told = []

    async def take(stream, text):
        await asyncio.sleep(0)
        told.append((stream, text))

    async def main():
        async with code_sandbox() as sandbox:
            await sandbox.run("print('one')", on_output=take)

    asyncio.run(main())
    assert told == [("stdout", "one\n")]


def test_a_session_is_copied_and_closed():
    async def main():
        async with code_sandbox() as sandbox:
            async with sandbox.session() as session:
                await session.run("x = 1")
                async with await session.fork() as copy:
                    await copy.run("x += 1")
                    values = [(await one.run("x")).value for one in (session, copy)]
            return values, (await session.run("'x' in globals()")).value

    assert asyncio.run(main()) == ([1, 2], False)


def test_a_sandbox_that_cannot_start_says_why_and_leaves_nothing():
    async def main():
        with pytest.raises(SandboxError, match='Cannot use "never" for timeout='):
            async with code_sandbox(timeout="never"):
                pass
        with pytest.raises(SandboxError, match="async with"):
            await code_sandbox().run("1")

    asyncio.run(main())
    assert not _launcher._shared


def test_leaving_ends_runs_that_go_on():
    async def main():
        async with code_sandbox() as sandbox:
            started = asyncio.Event()
            code = "print('on', flush=True)\nwhile True: pass"
            task = asyncio.create_task(sandbox.run(code, on_output=lambda *_: started.set()))
            await started.wait()
            process = sandbox._lease.launcher._process
        with pytest.raises(SandboxError):
            await task
        return process.poll()

    assert asyncio.run(main()) == 0


@pytest.mark.parametrize(
    ("awaiting", "waiting", "names"),
    [
        (CodeSandbox, Sandbox, {"run": True, "as_tool": False, "session": False, "install": True}),
        (CodeSession, Session, {"run": True, "as_tool": False, "fork": True, "close": True}),
    ],
)
def test_both_kinds_of_sandboxes_have_one_documentation(awaiting, waiting, names):
    for name, is_awaited in names.items():
        method, twin = getattr(waiting, name), getattr(awaiting, name)
        assert inspect.getdoc(method) == inspect.getdoc(twin) is not None
        assert [*inspect.signature(method).parameters] == [*inspect.signature(twin).parameters]
        assert (inspect.iscoroutinefunction(method), inspect.iscoroutinefunction(twin)) == (False, is_awaited)
