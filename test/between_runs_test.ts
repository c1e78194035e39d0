/**
 * Between two runs of a session: a run finds Python in working order, whatever
 * the runs before have left, and tasks of earlier runs go on.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { startInterpreter } from "../src/engines/pyodide/host.ts";
import { onEachPyodide } from "./support/each_pyodide.ts";
import { networkOf, readFiles, runCode } from "./support/interpreter.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";
import { startWebServer } from "./support/web_server.ts";

/** Opens a session on the server of this file. */
async function openSession(options: string[] = []) {
  const server = await shareServer(options);
  const { structured } = await server.call("None", { session: "new" });
  const session = String(structured.session);
  const run = (code: string, args = {}) =>
    server.call(code, { session, ...args });
  return {
    run,
    /** Runs code that succeeds; gives its output. */
    async output(code: string): Promise<string> {
      const { status, output, error } = await run(code);
      assertEquals(status, "success", error);
      return output.join("\n");
    },
    /**
     * Has a task print in a step of the event loop between two runs; gives the
     * output that the next run has of it. Such a step may also come in a run.
     */
    async betweenRuns(code: string): Promise<string[]> {
      while (true) {
        await run(
          `${code}\nimport asyncio; task = asyncio.create_task(step())\nNone`,
        );
        const { output } = await run("None");
        if (output[0] === "[between runs]") return output;
      }
    },
  };
}

onEachPyodide(
  "between runs: tracebacks and inspect show the lines of each call",
  async (options) => {
    const { run, output } = await openSession(options);
    await output(
      "# a comment\ndef invert(x):\n    return 1 / x  # of call 2\nclass First: a = 1",
    );
    const failed = await run(
      "def twice(x):\n    return 2 * invert(x)\nclass Second: b = 2\ntwice(0)",
    );
    const frames = [...String(failed.error).matchAll(/^ {2}File .*\n.*$/gm)];
    assertEquals(frames.map(([frame]) => frame), [
      '  File "call 3", line 4, in <module>\n    twice(0)',
      '  File "call 3", line 2, in twice\n    return 2 * invert(x)',
      '  File "call 2", line 3, in invert\n    return 1 / x  # of call 2',
    ]);
    assertEquals(
      await output(`
import inspect
for it in invert, twice, First, Second: print(inspect.getsource(it).strip().splitlines()[-1])
__file__`),
      "    return 1 / x  # of call 2\n    return 2 * invert(x)\nclass First: a = 1\nclass Second: b = 2",
    );
    assertMatch(String((await run("x = (")).error), /File "call 5", line 1/);
    for (const call of [6, 7]) {
      const warned = await output("import warnings; warnings.warn('old')");
      assertMatch(warned, new RegExp(`^call ${call}:1: UserWarning: old`));
    }
    // Sources of a mebibyte are kept.
    for (let round = 0; round < 3; round++) {
      await output(`#${" ".repeat(400_000)}`);
    }
    const forgotten = String((await run("invert(0)")).error);
    assertMatch(
      forgotten,
      /File "call 2", line 3, in invert\n[^]*ZeroDivisionError/,
    );
    assert(!forgotten.includes("of call 2"), forgotten);
    assertEquals(
      await output(
        "import linecache; print(sum(map(len, linecache.cache)) < 10_000, __file__)",
      ),
      "True main.py",
    );
  },
);

onEachPyodide(
  "between runs: output comes, whatever has become of the streams",
  async (options) => {
    const { run, output } = await openSession(options);
    const broken = [
      "import io, os, sys; sys.stdout = sys.stderr = None",
      "sys.stdout.close(); sys.stderr.close()",
      "sys.__stdout__.detach(); sys.__stderr__.buffer.detach()",
      "sys.stdout = sys.__stdout__ = sys.__stderr__ = io.StringIO()",
      "os.close(1); os.close(2)",
      "file = open('/tmp/file', 'w'); os.dup2(file.fileno(), 1); os.dup2(file.fileno(), 2)",
      "exit()",
    ];
    const print =
      "print('out'); print('err', file=sys.stderr); os.write(1, b'raw'); None";
    for (const code of broken) {
      await output(code);
      assertEquals(await output(print), "out\nerr\nraw", code);
    }
    assertMatch(String((await run("input()")).error), /EOFError/);
    const stopped = await run(
      "import contextlib\nwith contextlib.redirect_stdout(io.StringIO()):\n    while True: pass",
      { timeout: 0.3 },
    );
    assertEquals(stopped.status, "timeout");
    assertEquals(await output("print('out')"), "out");
    // A patch of the code's own is state of the session.
    await output(
      "import builtins; builtins.print = lambda *_: sys.stdout.write('patched')",
    );
    assertEquals(await output("print('out')"), "patched");
  },
);

onEachPyodide(
  "between runs: state is kept, and a run finds Python in working order",
  async (options) => {
    const { run, output } = await openSession(options);
    await output(`
import asyncio, contextvars, decimal, os, signal, sys, warnings
decimal.getcontext().prec = 3
variable = contextvars.ContextVar("variable"); variable.set("kept")
os.makedirs("below"); os.chdir("below")
warnings.simplefilter("error")
asyncio.set_event_loop(None)
asyncio.get_running_loop().close()
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.setrecursionlimit(40)
sys.modules["__main__"] = sys`);
    assertEquals(
      await output(
        "print(decimal.Decimal(1) / 3, variable.get(), os.getcwd(), __name__, sys.modules['__main__'] is sys)",
      ),
      "0.333 kept /workspace/below __main__ False",
    );
    assertEquals((await run("warnings.warn('an error')")).status, "run-error");
    const { status } = await run(
      "asyncio.run(asyncio.sleep(0.01))\nwhile True: pass",
      { timeout: 0.3 },
    );
    assertEquals(status, "timeout");
    const waiting =
      "loop = asyncio.new_event_loop(); loop.run_until_complete(asyncio.sleep(1000))";
    assertEquals((await run(waiting, { timeout: 0.3 })).status, "timeout");
    // Two of them are more than its memory.
    const filling =
      "def fill():\n    filled = bytearray(600 << 20)\n    1 / 0\nfill()";
    for (let round = 0; round < 3; round++) {
      assertMatch(String((await run(filling)).error), /ZeroDivisionError/);
    }
    assertEquals(
      await output(
        "print([name for name in vars(sys) if name.startswith('last_')])",
      ),
      "[]",
    );
  },
);

onEachPyodide(
  "between runs: freeing a deep traceback does not end the interpreter",
  async (options) => {
    const { run, output } = await openSession(options);
    const deep = [
      "def f(n): return n and f(n - 1) or 1 / 0",
      "def f(n, nest=()): return f(n - 1, [nest]) if n else 1 / 0",
      `
def f(n):
    error = None
    for _ in range(n):
        last, error = error, ValueError()
        error.__context__ = last
    raise error`,
    ];
    await output("import sys; sys.setrecursionlimit(100_000)");
    for (const code of deep) {
      assertEquals((await run(`${code}\nf(50_000)`)).status, "run-error", code);
      assertEquals(await output("print('on')"), "on", code);
    }
  },
);

onEachPyodide(
  "between runs: an exit ends its run; the end of the interpreter is told",
  async (options) => {
    const { run, output } = await openSession(options);
    await output(
      "import asyncio, atexit, sys; x = 1; atexit.register(print, 'at exit')",
    );
    for (
      const code of ["exit()", "quit(0)", "sys.exit()", "raise SystemExit"]
    ) {
      assertEquals(await output(code), "");
    }
    const exited = await run("exit(3)");
    assertMatch(String(exited.error), /exit code 3/);
    await output(
      "async def leave(): sys.exit(4)\ntask = asyncio.create_task(leave())",
    );
    assertMatch(String((await run("await task")).error), /exit code 4/);
    assertEquals((await run("x")).returnValue, 1);
    for (const code of ["import os; os._exit(0)", "import os; os.abort()"]) {
      const other = await openSession(options);
      await other.output("x = 1");
      const ended = await other.run(code);
      assertEquals(ended.status, "crashed", code);
      assertMatch(String(ended.error), /session's state is gone/);
    }
  },
);

onEachPyodide(
  "between runs: a task's output waits for the next run, marked",
  async (options) => {
    const { output, betweenRuns } = await openSession(options);
    const prints = `
import sys
class Picture:
    def _repr_svg_(self): return "<svg/>"
async def step():
    print("one")
    print("two", file=sys.stderr)
    notify_progress("nobody hears it")
    for _ in range(30): display(Picture())
    print("three", end="")`;
    assertEquals(await betweenRuns(prints), [
      ...["[between runs]", "one", "two", "three"],
      ...["[left out: 30 pictures]", "[this run]"],
    ]);
    // In a run, its output is the run's.
    const code = `
async def step():
    await asyncio.sleep(0)
    print("in it")
await asyncio.create_task(step())
print("done")`;
    assertEquals(await output(code), "in it\ndone");
    const floods = `
async def step():
    for number in range(100_000): print(number)`;
    const flood = (await betweenRuns(floods)).join("\n");
    assertMatch(flood, /^\[between runs\]\n0\n1\n2\n/);
    assertMatch(flood, /\n\[left out: \d+ characters\]\n\[this run\]$/);
    assertEquals(await output("print('on')"), "on");
  },
);

onEachPyodide(
  "between runs: a stopped run leaves tasks of earlier runs alone",
  async (options) => {
    const { run, output } = await openSession(options);
    await output(`
import asyncio, time
event = asyncio.Event()
async def work():
    await event.wait()
    return "done"
task = asyncio.create_task(work())
None`);
    const stopped = await run(
      "own = asyncio.create_task(asyncio.sleep(1000)); await asyncio.sleep(1000)",
      { timeout: 0.3 },
    );
    assertEquals(stopped.status, "timeout");
    const after = await run("event.set(); [own.cancelled(), await task]");
    assertEquals(after.returnValue, [true, "done"]);
    // A run that waits for such a task is stopped with it.
    await output("task = asyncio.create_task(asyncio.sleep(1000))\nNone");
    assertEquals((await run("await task", { timeout: 0.3 })).status, "timeout");
    assertEquals(await output("print(task.cancelled())"), "True");
    await output("task = asyncio.create_task(asyncio.sleep(1000))\nNone");
    const waiting = "asyncio.get_event_loop().run_until_complete(task)";
    assertEquals((await run(waiting, { timeout: 0.3 })).status, "timeout");
  },
);

onEachPyodide(
  "between runs: a task that computes for ever costs a run, and not the session",
  async (options) => {
    const { run } = await openSession(options);
    const code =
      "ran = []\nasync def spin():\n    while True: pass\nimport asyncio; task = asyncio.create_task(spin())\nNone";
    assertEquals((await run(code)).status, "success");
    let round = 0;
    // The task may not have begun before the first runs.
    while (true) {
      const { status } = await run(`ran.append(${++round})`, { timeout: 1 });
      if (status === "timeout") break;
    }
    const { returnValue } = await run("[len(ran), task.done()]");
    assertEquals(returnValue, [round - 1, true]);
    const stubborn = `
async def spin():
    import signal
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True: pass
task = asyncio.create_task(spin())
None`;
    await run(stubborn);
    while (true) {
      const { status, error } = await run("None", { timeout: 1 });
      if (status === "success") continue;
      assertMatch(String(error), /session's state is gone/);
      break;
    }
  },
);

/** What list_sessions says of the first session of a server, once it is so. */
async function infoOf(
  server: TestServer,
  isSo: (info: Record<string, unknown>) => boolean = () => true,
): Promise<Record<string, unknown>> {
  const params = { name: "list_sessions", arguments: {} };
  let info: Record<string, unknown> = {};
  for (let left = 600; left > 0; left--) {
    const { structuredContent } = await server.client.callTool(params);
    [info] = Object(structuredContent).sessions;
    if (isSo(info)) return info;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`It never was so: ${JSON.stringify(info)}`);
}

onEachPyodide(
  "between runs: a task that computes for too long is interrupted, and its session goes on",
  async (options) => {
    await using server = await startServer([
      ...["+backgroundCpuSeconds=1", ...options],
    ]);
    const start = `
import asyncio
async def work():
    while True:
        for _ in range(10_000): pass
        if rests: await asyncio.sleep(0)
task = asyncio.create_task(work())
None`;
    for (const rests of ["True", "False"]) {
      const opened = await server.call(`rests = ${rests}${start}`, {
        session: "new",
      });
      const { background } = await infoOf(
        server,
        ({ background }) => / and were interrupted$/.test(String(background)),
      );
      assertMatch(
        String(background),
        /^its tasks have taken \d+ s of CPU time since its last run, which is more than they may/,
      );
      const { session } = opened.structured;
      const { returnValue } = await server.call("task.done()", { session });
      assertEquals(returnValue, true, rests);
      assertEquals((await infoOf(server)).background, undefined);
    }
  },
);

onEachPyodide(
  "between runs: a session whose tasks do not stop is lost, and says why",
  async (options) => {
    await using server = await startServer([
      ...["+backgroundCpuSeconds=1", ...options],
    ]);
    const stubborn = `
import asyncio
async def spin():
    while True:
        try:
            while True: pass
        except KeyboardInterrupt: pass
task = asyncio.create_task(spin())
None`;
    const { structured } = await server.call(stubborn, { session: "new" });
    await infoOf(server, ({ state }) => state === "lost");
    const { session } = structured;
    const { status, error } = await server.call("1", { session });
    assertEquals(status, "session-lost");
    assertMatch(
      String(error),
      /: its tasks took more than 1 s of CPU time between two runs, and did not stop when they were interrupted\./,
    );
  },
);

onEachPyodide(
  "between runs: the memory that a task takes is seen",
  async (options) => {
    await using server = await startServer(options);
    const grow = `
import asyncio
held = []
async def grow():
    for _ in range(64):
        held.append(bytearray(b"x") * (1 << 20))
        await asyncio.sleep(0.01)
task = asyncio.create_task(grow())
None`;
    await server.call(grow, { session: "new" });
    const { state } = await infoOf(
      server,
      ({ memoryMiB }) => Number(memoryMiB) > 32,
    );
    assertEquals(state, "ready");
  },
);

Deno.test("between runs: calls and requests are refused, and take no room", async () => {
  await using web = startWebServer();
  const interpreter = await startInterpreter(
    await readFiles(),
    networkOf([web.host]),
  );
  const run = async (code: string) => {
    const printed: string[] = [];
    const ending = await runCode(interpreter, code, (text) => {
      printed.push(text);
      return Promise.resolve();
    });
    return { ending, printed: printed.join("") };
  };
  try {
    await run(`
import asyncio
from mcp_runner import host_calls
from mcp_runner.network import Exchange
url = "${web.origin}/echo"
async def attempt(awaitable):
    try: await awaitable
    except (OSError, RuntimeError) as error: return str(error)
async def ask():
    told = set()
    # Far more than may be under way to the host.
    for _ in range(2000):
        told.add(await attempt(Exchange("POST", url, body=b"x" * 2000).begin()))
        told.add(await attempt(host_calls.call("name", {})))
    print(*sorted(map(str, told)), sep="\\n")
open = asyncio.create_task(attempt(Exchange("GET", "${web.origin}/never").begin()))
await asyncio.sleep(0.01)`);
    await run("task = asyncio.create_task(ask())\nNone");
    let printed = "";
    while (!printed) ({ printed } = await run("None"));
    assertMatch(printed, /^Cannot use the network between two runs/m);
    assertMatch(printed, /^Cannot call the host between two runs/m);
    const last = await run(
      "print(await open)\n(await Exchange('GET', url).begin()).status",
    );
    assertEquals(last.ending, { status: "success", value: "200" });
    assertEquals(last.printed, "The run that sent the request is over\n");
  } finally {
    await interpreter.end();
  }
});

Deno.test("between runs: a cancel that races with the end of its run hits no other run", async () => {
  const { run } = await openSession();
  const server = await shareServer();
  const { structured } = await server.call("runs = 0", { session: "new" });
  const { session } = structured;
  const rounds = ALL_ROUNDS ? 200 : 15;
  for (let round = 0; round < rounds; round++) {
    const cancel = new AbortController();
    const code = `for _ in range(${round * 100}): pass\nruns += 1`;
    const call = server.call(code, { session }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), round % 10);
    await call.catch(() => {});
    const next = await server.call(
      "import asyncio; await asyncio.sleep(0.001); sum(1 for _ in range(10_000))",
      { session },
    );
    assertEquals([next.status, next.returnValue], ["success", 10_000]);
  }
  assertEquals((await run("1")).returnValue, 1);
});
