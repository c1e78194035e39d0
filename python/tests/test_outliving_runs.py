"""Runs that go on after their call: real processes, real Python, with an event loop and without one."""

import asyncio
import inspect
import subprocess
import sys
import threading

import pytest

from mcp_run_python import CodeRun, Run, RunResult, Sandbox, SandboxError, code_sandbox
from mcp_run_python._printed import Printed

ENDLESS = "print('on', flush=True)\nwhile True: pass"
STEPS = """print("one")
open("/workspace/out.txt", "w").write("kept")
for step in range(3): print("step", step, flush=True)
print("rest", end="")
6 * 7"""
LINES = ["one", "step 0", "step 1", "step 2", "rest"]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as shared:
        yield shared


def test_lines_come_as_they_end_and_those_that_are_drawn_again_once():
    printed = Printed()
    printed.take("stdout", "first\nha")
    printed.take("stderr", "0%")
    assert printed.lines == ["first"]
    printed.take("stderr", "\r100%\r\n")
    printed.take("stdout", "lf\n\nrest")
    printed.take("stderr", "")
    assert printed.lines == ["first", "100%", "half", ""]
    printed.end()
    assert printed.lines == ["first", "100%", "half", "", "rest"]


def test_a_run_that_ends_in_time_comes_as_it_has_ended(sandbox):
    async def main():
        async with code_sandbox() as awaiting:
            run = await awaiting.run(STEPS, wait=600)
            status = run.status
            lines = [[line async for line in run.output()], [line async for line in run.output()]]
            return status, lines, [await run.result(), await run.result()]

    run = sandbox.run(STEPS, wait=600)
    waiting = run.status, [[*run.output()], [*run.output()]], [run.result(), run.result()]
    for status, lines, (result, again) in (waiting, asyncio.run(main())):
        assert (status, result.value, result.output.split("\n")) == ("success", 42, LINES)
        assert lines == [LINES, LINES]
        assert result.files == {"out.txt": b"kept"}
        assert again is result
    assert repr(run) == "<Run: success>"
    failed = sandbox.run("1 / 0", wait=600)
    assert (failed.status, failed.result().error.type) == ("run-error", "ZeroDivisionError")


def test_a_run_goes_on_after_its_call_and_is_cancelled(sandbox):
    told = []
    with sandbox.session() as session:
        run = session.run(f"x = 1\n{ENDLESS}", wait=0, on_output=lambda *piece: told.append(piece))
        assert run.status == "running"
        seen = []
        for line in run.output():
            seen.append(line)
            run.cancel()
        assert (seen, run.status, run.result().status) == (["on"], "cancelled", "cancelled")
        assert told == [("stdout", "on\n")]
        run.cancel()
        assert session.run("x").value == 1
        done = session.run("x", wait=600)
        done.cancel()
        assert (done.status, done.result().value) == ("success", 1)


def test_a_run_goes_on_after_its_await_and_is_cancelled():
    async def main():
        told = []

        async def take(stream, text):
            await asyncio.sleep(0)
            told.append((stream, text))

        async with code_sandbox() as sandbox, sandbox.session() as session:
            run = await session.run(f"x = 1\n{ENDLESS}", wait=0, on_output=take)
            assert run.status == "running"
            seen = []
            async for line in run.output():
                seen.append(line)
                await run.cancel()
            assert (seen, run.status, (await run.result()).status) == (["on"], "cancelled", "cancelled")
            assert told == [("stdout", "on\n")]
            await run.cancel()
            assert (await session.run("x")).value == 1
            done = await session.run("x", wait=600)
            await done.cancel()
            assert (done.status, (await done.result()).value) == ("success", 1)

    asyncio.run(main())


def test_several_tasks_and_threads_read_one_run(sandbox):
    async def main():
        async def read(run):
            return [line async for line in run.output()]

        async with code_sandbox() as awaiting:
            run = await awaiting.run(STEPS, wait=0)
            results = await asyncio.gather(read(run), read(run), run.result(), run.result())
            # A task that is cancelled while it waits leaves the run as it is.
            run = await awaiting.run(ENDLESS, wait=0)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(run.result(), 0)
            assert run.status == "running"
            await run.cancel()
            return results

    first, second, result, again = asyncio.run(main())
    assert first == second == LINES and again is result
    run = sandbox.run(STEPS, wait=0)
    read = []
    threads = [threading.Thread(target=lambda: read.append([*run.output()])) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read == [LINES, LINES] and run.result().value == 42


def test_a_callback_may_cancel_its_run(sandbox):
    async def main():
        async with code_sandbox() as awaiting:
            known = asyncio.Event()

            async def take(*_):
                await known.wait()
                await run.cancel()

            run = await awaiting.run(ENDLESS, wait=0, on_output=take)
            known.set()
            return (await run.result()).status

    assert asyncio.run(main()) == "cancelled"
    known, runs = threading.Event(), []

    def take(*_):
        known.wait()
        runs[0].cancel()

    runs.append(sandbox.run(ENDLESS, wait=0, on_output=take))
    known.set()
    assert runs[0].result().status == "cancelled"


def test_a_failure_in_time_is_raised_at_once_and_a_later_one_by_the_result(sandbox):
    def fail(*_):
        raise LookupError("the reader broke")

    async def main():
        async with code_sandbox() as awaiting:
            with pytest.raises(ValueError, match="at most 600"):
                await awaiting.run("1", wait=600, timeout=9999)
            run = await awaiting.run("print('more', flush=True)", wait=0, on_output=fail)
            assert [line async for line in run.output()] == ["more"]
            for _ in range(2):
                with pytest.raises(LookupError):
                    await run.result()
            await run.cancel()
            # Nothing asks for the result of this one.
            await awaiting.run("print('more', flush=True)", wait=0, on_output=fail)
            return run.status, (await awaiting.run("1")).value

    assert asyncio.run(main()) == ("failed", 1)
    with pytest.raises(ValueError, match="at most 600"):
        sandbox.run("1", wait=600, timeout=9999)
    run = sandbox.run("print('more', flush=True)", wait=0, on_output=fail)
    assert [*run.output()] == ["more"]
    for _ in range(2):
        with pytest.raises(LookupError):
            run.result()
    run.cancel()
    assert (run.status, sandbox.run("1").value) == ("failed", 1)


@pytest.mark.parametrize("wait", [-1, -1e-9, float("nan"), float("inf"), float("-inf"), 86_401, 10**400])
def test_a_time_that_cannot_be_waited_is_refused(sandbox, wait):
    message = "wait must be from 0 to 86400 seconds, and not "
    with pytest.raises(ValueError, match=message):
        sandbox.run("1", wait=wait)

    async def main():
        async with code_sandbox() as awaiting:
            with pytest.raises(ValueError, match=message):
                await awaiting.run("1", wait=wait)

    asyncio.run(main())


@pytest.mark.parametrize("wait", ["2", True, [1], {}, 2j, object()])
def test_what_is_not_a_number_is_no_time(sandbox, wait):
    with pytest.raises(TypeError, match="wait must be a number of seconds, and not .*: 0 does not wait"):
        sandbox.run("1", wait=wait)


def test_what_a_run_holds_of_its_output_is_bounded(sandbox):
    lines = [*sandbox.run("for _ in range(100_000): print('x' * 99)", wait=600).output()]
    assert 90_000 < sum(len(line) + 1 for line in lines) < 110_000
    assert any("left out" in line for line in lines)


def test_a_session_or_a_sandbox_that_is_closed_ends_its_runs_and_what_has_ended_stays(sandbox):
    with Sandbox() as other:
        finished = other.run(STEPS, wait=600)
        cancelled = other.run(ENDLESS, wait=0)
        next(cancelled.output())
        with other.session() as session:
            in_session = session.run(ENDLESS, wait=0)
            next(in_session.output())
        assert (in_session.result().status, cancelled.status) == ("cancelled", "running")
    # Its process has another user.
    assert cancelled.result().status == "cancelled"
    assert (finished.status, finished.result().value) == ("success", 42)
    with Sandbox(timeout=59) as alone:
        run = alone.run(ENDLESS, wait=0)
        next(run.output())
    with pytest.raises(SandboxError, match="closed before the run had ended: take its result before that"):
        run.result()
    run.cancel()
    assert (run.status, [*run.output()]) == ("failed", ["on"])
    for wait in (0, 1):
        with pytest.raises(SandboxError, match="is closed"):
            alone.run("1", wait=wait)


def test_an_event_loop_ends_with_a_run_under_way():
    async def close():
        # No other sandbox shares its process.
        async with code_sandbox(timeout=59) as sandbox:
            run = await sandbox.run(ENDLESS, wait=0)
            await anext(run.output().__aiter__())
        with pytest.raises(SandboxError, match="closed before the run had ended"):
            await run.result()
        return run

    async def leave(opened):
        sandbox = code_sandbox(timeout=59)
        opened.append(await sandbox.__aenter__())
        run = await sandbox.run(ENDLESS, wait=0)
        await anext(run.output().__aiter__())
        return run

    assert asyncio.run(close()).status == "failed"
    opened = []
    assert asyncio.run(leave(opened)).status == "failed"
    process = opened[0]._lease.launcher._process
    asyncio.run(opened[0].__aexit__())
    assert process.poll() == 0


def test_a_cancelled_task_ends_its_run_as_long_as_that_was_not_given():
    async def main():
        async with code_sandbox(options={"max_concurrency": 1}) as sandbox:
            started = asyncio.Event()
            task = asyncio.create_task(sandbox.run(ENDLESS, wait=600, on_output=lambda *_: started.set()))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # There is a single place for runs: it is free.
            return (await sandbox.run("2")).value

    assert asyncio.run(main()) == 2


def test_a_program_ends_though_a_run_is_under_way_and_tells_no_error_of_it():
    for opened, end in (("Sandbox()", ""), ("Sandbox()", "sandbox.close()")):
        code = f"""
from mcp_run_python import Sandbox
sandbox = {opened}
run = sandbox.run({ENDLESS!r}, wait=0)
print(next(run.output()), run.status)
{end}
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("on running\n", "")


def test_both_kinds_of_runs_have_one_documentation():
    for name, is_awaited in {"result": True, "cancel": True, "output": False}.items():
        method, twin = getattr(Run, name), getattr(CodeRun, name)
        assert inspect.getdoc(method) == inspect.getdoc(twin) is not None
        assert (inspect.iscoroutinefunction(method), inspect.iscoroutinefunction(twin)) == (False, is_awaited)
    assert inspect.getdoc(Run) == inspect.getdoc(CodeRun)
    assert Run.status is CodeRun.status


def test_the_result_without_wait_is_as_before(sandbox):
    assert isinstance(sandbox.run("1"), RunResult)
    assert isinstance(sandbox.run("1", wait=None), RunResult)
