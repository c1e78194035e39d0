/**
 * The tool `run` on the real engine: every variant of its values, every function of the
 * host, every limit.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { callRun } from "./support/monty_call.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const ENGINE = ["--engine", "monty"];
const share = () => shareServer([...ENGINE, "--env", "GIVEN=yes"]);
const int = (Int: number) => ({ Int });

/** Code, the value that it makes, and whether that may come back as an input. */
const VARIANTS: [code: string, value: unknown, isInput?: false][] = [
  ["None", "None"],
  ["...", "Ellipsis"],
  ["True", { Bool: true }],
  ["-7", int(-7)],
  ["-2 ** 63", { BigInt: `${-(2n ** 63n)}` }],
  ["2 ** 80", { BigInt: `${2n ** 80n}` }],
  ["1.5", { Float: 1.5 }],
  ["float('nan')", { Float: "NaN" }],
  ["float('inf')", { Float: "Infinity" }],
  ["-float('inf')", { Float: "-Infinity" }],
  ["complex(1, 2)", { Complex: { real: 1, imag: 2 } }],
  ["from decimal import Decimal\nDecimal('1.20')", { Decimal: "1.20" }],
  ["'é\\n'", { String: "é\n" }],
  ["'None'", { String: "None" }],
  ["b'\\x00\\xff'", { Bytes: [0, 255] }],
  ["from pathlib import Path\nPath('/a')", { Path: "/a" }],
  ["[1, []]", { List: [int(1), { List: [] }] }],
  ["(1,)", { Tuple: [int(1)] }],
  ["{1}", { Set: [int(1)] }],
  ["frozenset({1})", { FrozenSet: [int(1)] }],
  ["{(1,): 'a'}", { Dict: [[{ Tuple: [int(1)] }, { String: "a" }]] }],
  ["from collections import namedtuple\nnamedtuple('N', 'a b')(1, 2)", {
    NamedTuple: {
      ...{ type_name: "N", field_names: ["a", "b"], values: [int(1), int(2)] },
    },
  }],
  ["import datetime\ndatetime.date(2024, 2, 29)", {
    Date: { year: 2024, month: 2, day: 29 },
  }],
  ["import datetime\ndatetime.datetime(2024, 2, 29, 1, 2, 3, 4)", {
    DateTime: {
      ...{ year: 2024, month: 2, day: 29, hour: 1, minute: 2, second: 3 },
      ...{ microsecond: 4, offset_seconds: null, timezone_name: null },
    },
  }],
  [
    "import datetime as d\nd.datetime(2024, 2, 29, 1, 2, 3, 4, d.timezone(d.timedelta(hours=1), 'CET'))",
    {
      DateTime: {
        ...{ year: 2024, month: 2, day: 29, hour: 1, minute: 2, second: 3 },
        ...{ microsecond: 4, offset_seconds: 3600, timezone_name: "CET" },
      },
    },
  ],
  ["import datetime\ndatetime.time(1, 2, 3, 4)", {
    Time: {
      ...{ hour: 1, minute: 2, second: 3, microsecond: 4 },
      ...{ offset_seconds: null, timezone_name: null, fold: 0 },
    },
  }],
  ["import datetime\ndatetime.timedelta(-1, 2, 3)", {
    TimeDelta: { days: -1, seconds: 2, microseconds: 3 },
  }],
  ["import datetime\ndatetime.timezone(datetime.timedelta(hours=1), 'X')", {
    TimeZone: { offset_seconds: 3600, name: "X" },
  }],
  ["ValueError('x')", { Exception: { exc_type: "ValueError", arg: "x" } }],
  ["int", { Type: "Int" }],
  ["ValueError", { Type: "ValueError" }],
  ["len", { BuiltinFunction: "len" }],
  ["http_request", { Function: { name: "http_request", docstring: null } }],
  ["from dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\nP(1)", {
    Dataclass: {
      ...{ name: "P", field_names: ["x"] },
      attrs: [[{ String: "x" }, int(1)]],
    },
  }],
  ["class Q:\n  def __init__(self): self.a = 1\nQ()", {
    Instance: { name: "Q", attrs: [[{ String: "a" }, int(1)]] },
  }, false],
  ["class Q: pass\nQ", { Repr: "<class 'Q'>" }, false],
  ["range(3)", { Repr: "range(0, 3)" }, false],
  ["open('a', 'w')", {
    FileHandle: { path: "/workspace/a", mode: { Write: false }, position: 0 },
  }, false],
  ["x = []\nx.append(x)\nx", { List: [{ Cycle: [0, "[...]"] }] }, false],
];

for (const [code, value, isInput = true] of VARIANTS) {
  const name = JSON.stringify(value);
  Deno.test(`run gives ${name}${isInput ? ", and takes it" : ""}`, async () => {
    const server = await share();
    assertEquals((await callRun(server, code)).result, value);
    if (!isInput) return;
    const back = await callRun(server, "x", { inputs: { x: value } });
    assertEquals([back.result, back.message], [value, "undefined"]);
  });
}

Deno.test("run takes plain JSON where no tag says more", async () => {
  const x = [null, true, 1, 1.5, "a", { a: [] }, { Int: 7 }, "None"];
  const { result } = await callRun(await share(), "repr(x)", { inputs: { x } });
  assertEquals(result, {
    String: "[None, True, 1, 1.5, 'a', {'a': []}, 7, None]",
  });
});

Deno.test("Python reads the variables and clocks of its host", async () => {
  const code = `import os, time
from datetime import date, datetime, timezone
now = datetime.now(timezone.utc)
[os.getenv("GIVEN"), os.getenv("HOME"), os.environ["GIVEN"], now.tzinfo is None,
 datetime.now().tzinfo is None, date.today().isoformat() in (now.date().isoformat(), datetime.now(timezone.utc).date().isoformat()),
 time.time(), time.monotonic() <= time.monotonic()]`;
  const before = Date.now() / 1000;
  const { result, message } = await callRun(await share(), code);
  const { List: values = [] } = Object(result) as { List?: unknown[] };
  assertEquals(values.toSpliced(6, 1), [
    ...[{ String: "yes" }, "None", { String: "yes" }, { Bool: false }],
    ...[{ Bool: true }, { Bool: true }, { Bool: true }],
  ], message);
  const { Float: told } = Object(values[6]);
  assert(told >= before - 1 && told <= Date.now() / 1000 + 1);
});

Deno.test("sleeps are awaited together, and are not time of Python", async () => {
  const code = `import asyncio, time
start = time.monotonic()
await asyncio.sleep(0.3)
one = time.monotonic() - start
start = time.monotonic()
await asyncio.gather(asyncio.sleep(0.3), asyncio.sleep(0.3), asyncio.sleep(0.3))
three = time.monotonic() - start
time.sleep(0.2)
three < 2 * one`;
  const limits = {
    "resource_limits": { max_duration: { secs: 0, nanos: 3e8 } },
  };
  const { result, message } = await callRun(await share(), code, limits);
  assertEquals(result, { Bool: true }, message);
});

Deno.test("notify_progress tells the client, and checks its arguments", async () => {
  const told: unknown[] = [];
  const code = `notify_progress("half", 1, 2)
f = notify_progress
f("whole", progress=2, total=2)
errors = []
for call in [lambda: f(), lambda: f(1, 2), lambda: f("a", "b"), lambda: f("a", 1, 2, 3), lambda: f("a", no=1), lambda: f("a", message="b")]:
    try:
        call()
    except TypeError as error:
        errors.append(str(error))
len(errors)`;
  const { result } = await callRun(await share(), code, {}, {
    onprogress: (progress) => told.push(progress),
  });
  assertEquals(result, int(6));
  assertEquals(told.at(-1), { progress: 2, total: 2, message: "whole" });
});

Deno.test("Python reads and writes files of /workspace, with its own exceptions", async () => {
  const code = `from pathlib import Path
import os
Path("d").mkdir()
p = Path("d/a.txt")
n = p.write_text("é")
with open("d/a.txt", "a") as f:
    f.write("b")
told = [n, p.read_text(), p.read_bytes(), p.exists(), p.is_file(), Path("d").is_dir(), p.is_symlink(), p.stat().st_size, [q.name for q in Path("d").iterdir()], str(p.resolve()), str(p.absolute())]
p.rename("b.txt")
told.append(Path("b.txt").exists())
for call in [lambda: Path("no").read_text(), lambda: Path("d").mkdir(), lambda: Path("b.txt/x").write_text(""), lambda: open("/x", "w"), lambda: Path("d").read_bytes(), lambda: Path("no").unlink()]:
    try:
        call()
    except OSError as error:
        told.append(type(error).__name__)
Path("no").unlink(missing_ok=True)
Path("b.txt").unlink()
Path("d").rmdir()
told + [os.getcwd()]`;
  const { result, message } = await callRun(await share(), code);
  const text = (String: string) => ({ String });
  const yes = { Bool: true };
  assertEquals(result, {
    List: [
      ...[int(1), text("éb"), { Bytes: [195, 169, 98] }, yes, yes, yes],
      ...[{ Bool: false }, int(3), { List: [text("a.txt")] }],
      ...[text("/workspace/d/a.txt"), text("/workspace/d/a.txt"), yes],
      ...[text("FileNotFoundError"), text("FileExistsError")],
      ...[text("NotADirectoryError"), text("PermissionError")],
      ...[text("IsADirectoryError"), text("FileNotFoundError")],
      text("/workspace"),
    ],
  }, message);
});

Deno.test("Python reads a mounted folder, and writes to one that may be written", async () => {
  await using folder = await tempFolder();
  const [read, write] = await folder.make("read", "write");
  await Deno.writeTextFile(join(read, "a.txt"), "here");
  await using server = await startServer([
    ...[...ENGINE, "--mount", `${read}:/mnt/read`],
    ...["--mount", `${write}:/mnt/write:rw`],
  ]);
  const code = `from pathlib import Path
told = Path("/mnt/read/a.txt").read_text()
Path("/mnt/write/b.txt").write_text(told + " and there")
try:
    Path("/mnt/read/c.txt").write_text("")
except PermissionError as error:
    told += " " + str(error)
told`;
  const { result, message } = await callRun(server, code);
  const { String: told } = Object(result);
  assertMatch(`${told} ${message}`, /^here \[Errno 30\].*c\.txt/);
  const written = await Deno.readTextFile(join(write, "b.txt"));
  assertEquals(written, "here and there");
  assertEquals((await namesIn(read)).length, 1);
});

Deno.test("http_request reaches the granted hosts alone, and its failures can be caught", async () => {
  await using web = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/to") {
        return Response.redirect(new URL("/", request.url));
      }
      if (pathname === "/bytes") return new Response(new Uint8Array([255]));
      const told = [request.method, request.headers.get("x-a")];
      return Response.json([...told, await request.text()], { status: 201 });
    },
  );
  const url = `http://127.0.0.1:${web.addr.port}`;
  const ended = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = `127.0.0.1:${ended.addr.port}`;
  ended.close();
  await using server = await startServer([
    ...[...ENGINE, "--allow-net", `127.0.0.1:${web.addr.port},${closed}`],
  ]);
  const code = `f = http_request
told = []
for args in [(u,), (u + "/", "POST", {"x-a": "1"}, "é"), (u, "PUT", None, b"b"), (u + "/to",), (u + "/bytes",)]:
    status, headers, body = f(*args)
    told.append([status, body])
for bad in [u.replace("0.1", "0.2"), "ftp://x/", u.replace("127.0.0.1", "localhost"), f"http://{closed}/"]:
    try:
        f(bad)
    except OSError as error:
        told.append(str(error))
try:
    f(1)
except TypeError:
    told.append("TypeError")
told`;
  const { result, message } = await callRun(server, code, {
    inputs: { u: url, closed },
  });
  const row = (status: number, body: unknown) => ({
    List: [int(status), body],
  });
  const json = (...told: unknown[]) => ({ String: JSON.stringify(told) });
  const notGranted = (host: string) => ({
    String:
      `No network access to "${host}": ask the user to start the server with --allow-net ${host}`,
  });
  assertEquals(result, {
    List: [
      ...[row(201, json("GET", null, "")), row(201, json("POST", "1", "é"))],
      ...[row(201, json("PUT", null, "b")), row(201, json("GET", null, ""))],
      row(200, { Bytes: [255] }),
      ...[notGranted(`127.0.0.2:${web.addr.port}`), {
        String:
          "Cannot send a request to ftp: URLs as only http and https are known",
      }],
      ...[notGranted(`localhost:${web.addr.port}`), {
        String: `"${closed}" refused the connection`,
      }],
      { String: "TypeError" },
    ],
  }, message);
});

const LIMITS: [limits: object, code: string, type: string, words: RegExp][] = [
  [
    { max_duration: { secs: 0, nanos: 100_000_000 } },
    "print('kept')\nwhile True: pass",
    "TimeoutError",
    /0\.1 s, its max_duration/,
  ],
  [
    { max_duration: { secs: 0, nanos: 50_500_000 } },
    "print('kept')\nwhile True: pass",
    "TimeoutError",
    /0\.0505 s, its max_duration/,
  ],
  [
    { max_memory: 1_000_000 },
    "print('kept')\nx = [str(i) * 9 for i in range(10**6)]",
    "MemoryError",
    /its max_memory is 1000000 bytes/,
  ],
  [
    { max_allocations: 2000 },
    "print('kept')\nx = [[i] for i in range(10**6)]",
    "MemoryError",
    /more than 2000 allocations, its max_allocations/,
  ],
  [
    { max_recursion_depth: 50 },
    "print('kept')\ndef f(n): return n and f(n - 1)\nf(40)\nf(60)",
    "RecursionError",
    /maximum recursion depth/,
  ],
];

for (const [limits, code, type, words] of LIMITS) {
  const [name = ""] = Object.keys(limits);
  Deno.test(`a run that reaches ${name} says so; its output is kept, and the next call is right`, async () => {
    const server = await share();
    const reached = await callRun(server, code, { resource_limits: limits });
    assertEquals([reached.isError, reached.type], [true, type], reached.text);
    assertMatch(reached.message, words);
    assertEquals(reached.output, "kept\n");
    assertMatch(reached.text, /^--- stdout ---\nkept\n--- exception ---\n/);
    // A machine with much to do may pause for as long as the shortest limit.
    const time = "max_duration" in limits
      ? { max_duration: { secs: 60, nanos: 0 } }
      : {};
    const next = await callRun(server, "6 * 7", {
      resource_limits: { ...limits, ...time, gc_interval: 10 },
    });
    assertEquals(next.result, int(42));
  });
}

Deno.test("the server's own limits hold above those of a call, also while a run waits", async () => {
  await using server = await startServer([
    ...[...ENGINE, "--timeout", "1", "--memory", "128"],
  ]);
  const limits = {
    ...{ max_duration: { secs: 1000, nanos: 0 }, max_memory: 10 ** 12 },
  };
  for (
    const [code, words] of [
      ["while True: pass", /1 s, its time limit/],
      ["import time\ntime.sleep(60)", /1 s, its time limit/],
      ["import asyncio\nawait asyncio.sleep(60)", /1 s, its time limit/],
      ["x = ['a' * 10**6 + str(i) for i in range(10**4)]", /128 MiB/],
    ] as const
  ) {
    const { message } = await callRun(server, code, {
      "resource_limits": limits,
    });
    assertMatch(message, words);
    assertEquals((await callRun(server, "1")).result, int(1));
  }
});

for (const code of ["while True: pass", "import time\ntime.sleep(600)"]) {
  Deno.test(`a call that is cancelled ends its run: ${code.split("\n").at(-1)}`, async () => {
    await using server = await startServer(ENGINE);
    const stop = new AbortController();
    const told = Promise.withResolvers<void>();
    const running = callRun(
      server,
      `notify_progress("begun", 1)\n${code}`,
      {},
      { signal: stop.signal, onprogress: () => told.resolve() },
    ).catch((error) => `${error}`);
    await told.promise;
    stop.abort();
    assertMatch(`${await running}`, /abort/i);
    assertEquals((await callRun(server, "1")).result, int(1));
  });
}

Deno.test("an error for what the language lacks names it, and the engine that has it", async () => {
  const server = await share();
  for (
    const [code, feature] of [
      ["class A(dict): pass", "class inheritance"],
      ["def f():\n  yield 1", "yield expressions"],
      ["import numpy", "numpy"],
      ["import os\nos.fork()", "os.fork"],
      ["from math import nothing", "nothing"],
      ["bytearray(3)", "bytearray"],
      ["import sys; sys.exit()", "sys\\.exit"],
      ["exit()", "exit"],
      ["from math import *", "Wildcard imports"],
      ["raise SystemExit(3)", "exceptions with an argument"],
    ] as const
  ) {
    const { text } = await callRun(server, code);
    assertMatch(text, new RegExp(`lacks .*${feature}.*pyodide`), code);
  }
});

Deno.test("hints on Monty: what no engine can run, lines of notebooks, and missing files", async () => {
  const server = await share();
  const files = [{ path: "data.csv", text: "" }, { path: "b/c.md", text: "" }];
  const cases: Record<string, RegExp> = {
    "import torch": /\ntorch cannot run here: its native code/,
    "import subprocess": /no other processes here/,
    "import os\nos.system('ls')": /os\.system cannot run here/,
    "input('name? ')": /There is no input here/,
    "x = 1\n!ls": /no other processes here/,
    "%timeit 1": /no IPython here, and no %timeit/,
    "x = = 1": /SyntaxError: [^\n]*$/,
    "open('dta.csv')": /The nearest are \/workspace\/data\.csv\.$/,
    "open('/mnt/data/data.csv')":
      /There is no folder \/mnt\/data\. The nearest are \/workspace\/data\.csv\.$/,
    "open('b/x/y')": /no folder \/workspace\/b\/x\. \/workspace has b, data/,
    "raise FileNotFoundError(\"[Errno 2] x: '\" + 'a/' * 9000 + \"'\")": /'$/,
  };
  for (const [code, says] of Object.entries(cases)) {
    const { error } = await server.call(code, { files });
    assertMatch(error ?? "no error", says, code);
  }
});

Deno.test("code that ends itself has failed if it names a reason", async () => {
  const server = await share();
  const { isError, result } = await callRun(server, "raise SystemExit\n1");
  assertEquals([isError, result], [false, "None"]);
  const told = await callRun(server, "raise SystemExit('enough')");
  assertEquals([told.isError, told.type, told.message], [
    ...[true, "SystemExit", "enough"],
  ]);
});

Deno.test("a call chooses its engine, and sessions are of the first", async () => {
  await using server = await startServer(["--engine", "pyodide,monty"]);
  const version = "import sys\nsys.platform";
  const call = (engine: string, more: object = {}) =>
    server.call(version, { engine, ...more });
  assertEquals((await call("pyodide")).returnValue, "emscripten");
  const monty = await call("monty");
  assert(monty.returnValue !== "emscripten", monty.text);
  assertMatch((await call("monty", { session: "new" })).text, /Pyodide/);
  assertMatch((await call("other")).text, /pyodide|monty/);
  assertEquals((await callRun(server, "1")).result, int(1));
  const wants = "# /// script\n# dependencies = ['numpy']\n# ///\n1";
  const refused = await server.call(wants, { engine: "monty" });
  assertMatch(refused.text, /Cannot install "numpy" for Monty.*`engine`/s);
});

Deno.test("run_python_code on Monty alone has plain values, files and sessions", async () => {
  await using server: TestServer = await startServer(ENGINE);
  const code = `open("b.txt", "w").write(open("a.txt").read() + str(x))
{"a": (1, None), 2: b"x"}`;
  const { returnValue, text } = await server.call(code, {
    global_variables: { x: { Int: 1 } },
    files: [{ path: "a.txt", text: "in " }],
  });
  assertEquals(returnValue, { a: [1, null], 2: "x" });
  assertMatch(text, /b\.txt.*in \{'Int': 1\}/s);
  const first = await server.call("x = 40", { session: "new" });
  const { session } = Object(first.structured);
  assert(typeof session === "string", first.text);
  const second = await server.call("x + 2", { session });
  assertEquals(second.returnValue, 42);
});
