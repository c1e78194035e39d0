/**
 * The library in a program of its own kind: Python within this process's reach.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { openPython, type Python } from "./support/open_python.ts";
import type { Json, RunResult } from "../src/protocol/run_result.ts";
import type { Settings } from "../src/settings.ts";
import { CACHE } from "./support/command.ts";
import type { LibraryReport } from "./support/library_program.ts";

function valueOf(result: RunResult): Json {
  return result.status === "success" ? result.returnValue : result.error;
}

function open(settings: Partial<Settings> = {}): Promise<Python> {
  return openPython({ cacheDir: CACHE, ...settings });
}

Deno.test("openPython() runs code: values, output, globals, errors and pictures", async () => {
  await using python = await open();
  const { timings, ...result } = await python.run(
    "print('said')\n[n + 1 for n in numbers]",
    { globals: { numbers: [1, 2] } },
  );
  assertEquals(result, {
    ...{ status: "success", returnValue: [2, 3], output: ["said"] },
  });
  assert(Number(timings?.wallMs) > 0 && Number(timings?.waitedMs) >= 0);
  const failed = await python.run("1 / 0");
  assert(failed.status === "run-error");
  assert(failed.error.includes("ZeroDivisionError"), failed.error);
  assertEquals(failed.exitCode, 1);
  const svg = "<svg xmlns='http://www.w3.org/2000/svg'/>";
  const { images = [] } = await python.run(
    `class Drawing:\n    def _repr_svg_(self): return "${svg}"\ndisplay(Drawing())`,
  );
  assertEquals(images.map(({ data }) => data), [svg]);
  // Nothing is left of a run.
  assertEquals((await python.run("'numbers' in globals()")).status, "success");
});

Deno.test("openPython() hands on output and progress while the code runs, and waits for their reader", async () => {
  await using python = await open();
  const told: string[] = [];
  const result = await python.run(
    "import sys\nprint('one')\nnotify_progress('half', 1, 2)\nprint('two', file=sys.stderr)",
    {
      async onOutput(stream, text) {
        await Promise.resolve();
        told.push(`${stream} ${text.trim()}`);
      },
      onProgress: ({ message, progress, total }) =>
        void told.push(`${message} ${progress}/${total}`),
    },
  );
  assertEquals(result.output, ["one", "two"]);
  assertEquals(told.sort(), ["half 1/2", "stderr two", "stdout one"]);
});

Deno.test("openPython() ends a run whose callback throws, and no other run", async () => {
  await using python = await open();
  const other = python.run("import time\ntime.sleep(0.2)\n'other'");
  await assertRejects(
    python.run("while True: print('more')", {
      onOutput() {
        throw new TypeError("the reader broke");
      },
    }),
    /the reader broke/,
  );
  assertEquals((await other).status, "success");
});

Deno.test("openPython() puts files in, and gives those that the code wrote", async () => {
  await using python = await open({ maxFilesMiB: 8 });
  const bytes = new Uint8Array(3 * 2 ** 20).fill(7);
  const { written = [], removed = [] } = await python.run(
    "import os\nos.makedirs('out')\nopen('out/x.bin', 'wb').write(open('in.bin', 'rb').read()[:-1])\nos.remove('in.bin')",
    { files: [{ path: "in.bin", bytes }] },
  );
  assertEquals(written.map(({ path }) => path), ["out/x.bin"]);
  // A difference of megabytes is nothing to print.
  assert(written[0]?.bytes.every((byte) => byte === 7));
  assertEquals(written[0]?.bytes.length, bytes.length - 1);
  assertEquals(removed, ["in.bin"]);
  const large = new Uint8Array(9 * 2 ** 20);
  await assertRejects(
    python.run("1", { files: [{ path: "large", bytes: large }] }),
    RangeError,
  );
  assertEquals((await python.run("1")).status, "success");
});

Deno.test("openPython() runs side by side, each call with its own result", async () => {
  await using python = await open({ maxConcurrency: 2, maxOutput: 1000 });
  const results = await Promise.all(
    [1, 2, 3, 4].map((n) => python.run("n * n", { globals: { n } })),
  );
  assertEquals(
    results.map(valueOf),
    [1, 4, 9, 16],
  );
  const { output, truncated } = await python.run("print('x' * 5000)");
  assertEquals(output[1], "… 4,000 characters left out …");
  assertEquals(truncated, { output: 5000 });
});

Deno.test("openPython() keeps the defaults of settings that are undefined", async () => {
  const none = Object.fromEntries([["maxOutput", undefined]]);
  await using python = await open(none);
  const whole = await python.run("print('x' * 90_000); ['x'] * 50_000");
  assertEquals(whole.output, ["x".repeat(90_000)]);
  assert(whole.status === "success" && Array.isArray(whole.returnValue));
  assertEquals([whole.returnValue.length, whole.truncated], [
    50_000,
    undefined,
  ]);
  const { truncated } = await python.run("print('x' * 150_000)");
  assertEquals(truncated?.output, 150_001);
});

Deno.test("openPython() ends at once if it is disposed of while its server starts", async () => {
  const python = await open();
  const lost = assertRejects(python.run("1"), /The server process ended/);
  await python[Symbol.asyncDispose]();
  await lost;
});

Deno.test("openPython() refuses files before it sends any, and runs on", async () => {
  await using python = await open();
  const file = (path: string) => ({ path, bytes: new Uint8Array(1) });
  for (const files of [[file("a"), file("a")], [file("../a")]]) {
    await assertRejects(python.run("1", { files }), RangeError);
  }
  assertEquals((await python.run("1")).status, "success");
});

Deno.test("openPython() stops a run by its signal, and by its time", async () => {
  await using python = await open();
  const cancel = new AbortController();
  const running = python.run("print('on', flush=True)\nwhile True: pass", {
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  assertEquals((await running).status, "cancelled");
  assertEquals(
    (await python.run("1", { signal: AbortSignal.abort() })).status,
    "cancelled",
  );
  const late = await python.run("while True: pass", { timeoutSeconds: 0.5 });
  assertEquals(late.status, "timeout");
  for (const timeoutSeconds of [0, -1, NaN, 601]) {
    await assertRejects(
      python.run("1", { timeoutSeconds }),
      /timeoutSeconds must be above 0 and at most 600/,
    );
  }
  await assertRejects(python.run("#".repeat(2 ** 26 + 1)), /Put data in files/);
  assertEquals((await python.run("1")).status, "success");
});

Deno.test("Python.session() keeps state in order, beside other sessions and fresh runs", async () => {
  await using python = await open({ maxConcurrency: 3, maxFilesMiB: 8 });
  await using counter = python.session();
  const all = Array.from(
    { length: 4 },
    (_, round) =>
      counter.run(`numbers = [*globals().get("numbers", []), n]`, {
        globals: { n: round },
        // They take their time on the way.
        files: round > 0
          ? []
          : [{ path: "in", bytes: new Uint8Array(4 << 20) }],
      }),
  );
  await Promise.all(all);
  await using other = python.session();
  const seen = await Promise.all([
    counter.run("import os; [numbers, os.path.getsize('in')]"),
    other.run("x = 1; 'numbers' in globals()"),
    python.run("'numbers' in globals() or 'x' in globals()"),
  ]);
  assertEquals(seen.map(valueOf), [[[0, 1, 2, 3], 4 << 20], false, false]);
  const { output, written = [] } = await counter.run(
    "print(len(numbers)); open('out', 'w').write('text'); numbers += [4]; 1 / 0",
  );
  assertEquals([output, written.map(({ path }) => path)], [["4"], ["out"]]);
  assertEquals(await counter.complete("1 + numb"), {
    ...{ word: "numb", matches: ["numbers"] },
  });
  assertEquals(await counter.isComplete("for n in numbers:"), "incomplete");
  // Each end of a run that leaves the interpreter leaves the state.
  for (const kind of ["signal", "interrupt"] as const) {
    const abort = new AbortController();
    const { status } = await counter.run(
      "numbers += [5]; print('on', flush=True)\nwhile True: pass",
      { [kind]: abort.signal, onOutput: () => abort.abort() },
    );
    if (counter.isLost) break;
    assertEquals(status, kind === "signal" ? "cancelled" : "run-error");
  }
  await assertRejects(counter.run("1", { timeoutSeconds: -1 }), RangeError);
  const late = await counter.run("while 1: pass", { timeoutSeconds: 0.3 });
  assertEquals(valueOf(await other.run("x")), 1);
  // A busy machine may not have let the code come back in time.
  const { isLost } = counter;
  const last = await counter.run("numbers");
  assertEquals(
    isLost ? last.status : [late.status, valueOf(last)],
    isLost ? "session-lost" : ["timeout", [0, 1, 2, 3, 4, 5, 5]],
  );
});

Deno.test("PythonSession.fork() gives a copy of the state, or says why it cannot", async () => {
  await using python = await open();
  await using session = python.session();
  await using unused = await session.fork();
  session.run("import random; numbers = [1]; open('kept', 'w').write('text')");
  await using copy = await session.fork();
  const draw = "numbers + [random.getrandbits(64)]";
  assertEquals(
    valueOf(
      await copy.run("numbers.append(2); [numbers, open('kept').read()]"),
    ),
    [[1, 2], "text"],
  );
  const [own, other] = await Promise.all([session.run(draw), copy.run(draw)]);
  assert(own.status === "success" && other.status === "success");
  const drawn = [own, other].map(valueOf).map((list) => Object(list).at(-1));
  assertEquals([valueOf(own), valueOf(other)], [
    ...[[1, drawn[0]], [1, 2, drawn[1]]],
  ]);
  assert(drawn[0] !== drawn[1]);
  assertEquals(valueOf(await unused.run("'numbers' in globals()")), false);
  await session.run(
    "import asyncio; asyncio.get_running_loop().call_later(999, print)",
  );
  await assertRejects(session.fork(), /^Error: Cannot copy the session: /);
  assertEquals(valueOf(await session.run("numbers")), [1]);
});

Deno.test("Python.session() tells a lost state, and ends with what runs in it", async () => {
  await using python = await open({ maxConcurrency: 2, memoryMiB: 256 });
  await using lost = python.session();
  await lost.run("x = 1");
  const { status } = await lost.run("import os; os.abort()");
  assertEquals([status, lost.isLost], ["crashed", true]);
  const next = await lost.run("x");
  assert(next.status === "session-lost");
  assertEquals(await lost.complete("x"), undefined);
  assertMatch(next.error, /session has ended.* Open a new session\./);
  const session = python.session();
  const running = session.run("print('on', flush=True)\nwhile True: pass", {
    onOutput: () => void session.close(),
  });
  const waiting = session.run("1");
  const statuses = (await Promise.all([running, waiting, session.run("2")]))
    .map(({ status }) => status);
  assertEquals(statuses, ["cancelled", "cancelled", "cancelled"]);
  await python[Symbol.asyncDispose]();
  await assertRejects(lost.run("1"), /The server process ended/);
});

Deno.test("openPython() says why there is no Python, and keeps its program's permissions", async () => {
  await assertRejects(
    open({ dependencies: ["no-such-package-at-all"], offline: true }),
    /no-such-package-at-all/,
  );
  await assertRejects(
    openPython({ memoryMiB: 1 }),
    /Cannot use 1 for memoryMiB as it must be .*from 128 to 4096/,
  );
  const wrong: [string, unknown][] = [["maxOutput", "5"], [
    "maxFilesMiB",
    null,
  ]];
  for (const entry of wrong) {
    await assertRejects(
      openPython(Object.fromEntries([entry])),
      /as it must be a whole number/,
    );
  }
  const misspelt: Partial<Settings> = Object.fromEntries([["memoryMib", 256]]);
  await assertRejects(openPython(misspelt), /Did you mean memoryMiB/);
  {
    await using python = await open();
    assertEquals((await python.run("1")).status, "success");
  }
  for (const name of ["read", "write", "net", "env", "run"] as const) {
    assertEquals((await Deno.permissions.query({ name })).state, "granted");
  }
});

Deno.test({
  name: "openPython() survives its server, and leaves no process behind",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const program = new URL("./support/library_program.ts", import.meta.url);
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", program.href],
      stderr: "inherit",
    }).output();
    const report: LibraryReport = JSON.parse(new TextDecoder().decode(stdout));
    assertMatch(report.lost, /The server process ended \(SIGKILL\)/);
    assertEquals([report.next, report.left], ["success", 0]);
    const statuses = ["success", "success", "busy", "success", "success"];
    assertEquals(report.sessions, statuses);
    assert(report.closed <= 1, `${report.closed} are left`);
  },
});
