/**
 * Every limit, hit in real processes: how the run ends, what is said, and that
 * the next call on the same server works.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { CONSTANTS, OPTIONS } from "../src/settings.ts";
import { makeCache } from "./support/cache.ts";
import { CODE_MODE, command } from "./support/command.ts";
import { startIndex } from "./support/index_server.ts";
import { tempFolder } from "./support/folder.ts";
import { getPyodide027 } from "./support/pyodide_027.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";
import { type Called, startServer, VIA } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";
import { wheel } from "./support/wheel.ts";

/** Options whose limit is hit below. */
const hit = new Set<string>();

/** One test of the limits that these options set. */
function testLimit(
  options: string[],
  behaviour: string,
  fn: () => Promise<void>,
): void {
  for (const option of options) hit.add(option);
  Deno.test(`${options.join(", ")}: ${behaviour}`, fn);
}

type Server = Awaited<ReturnType<typeof startServer>>;

/** Makes a call at a limit, then one that is not. */
async function reach(
  server: Server,
  code: string,
  args: Record<string, unknown> = {},
): Promise<Called> {
  const result = await server.call(code, args);
  const next = await server.call("print('hi'); 6 * 7");
  assertEquals([next.output, next.returnValue], [["hi"], 42], next.text);
  return result;
}

const STUBBORN = `
while True:
    try:
        while True: pass
    except KeyboardInterrupt: pass`;

testLimit(
  ["saveAllSeconds"],
  "sessions that are not saved in time at the end are told in the log",
  async () => {
    await using folder = await tempFolder();
    const [store = ""] = await folder.make("store");
    await Deno.chmod(store, 0o700);
    const file = `${folder.path}/log`;
    const server = await startServer([
      ...["--session-store", store, "--log-file", file],
      "+saveAllSeconds=0.001",
    ]);
    await server.call("x = 1", { session: "new" });
    await server.end();
    assertMatch(
      await Deno.readTextFile(file),
      /warning session action=lost reason="not all were saved within 0\.001 s"/,
    );
  },
);

testLimit(
  ["startTimeoutSeconds"],
  "a Python that does not get ready is told of",
  async () => {
    const { code, stderr } = await command([
      ...["+startTimeoutSeconds=0.01", "run", "-c", "1"],
    ]);
    assertEquals(code, 1, stderr);
    assertMatch(
      stderr,
      /Python cannot start: .*not ready after 0\.01 s, as on a machine that does too much/,
    );
  },
);

testLimit(["--timeout"], "code that computes or waits is stopped", async () => {
  const server = await shareServer(["--timeout", "0.5"]);
  for (
    const code of [
      "while True: pass",
      "import time; time.sleep(100)",
      "import asyncio; await asyncio.sleep(100)",
      "import re; re.match('(a+)+b', 'a' * 60)",
    ]
  ) {
    const { status, error } = await reach(server, code);
    assertEquals([status, error], [
      "timeout",
      "The code was stopped after 0.5 s, its time limit. Allow more with the call's timeout, or --timeout.",
    ], code);
  }
});

testLimit(["--timeout"], "code that does not react is ended", async () => {
  const server = await shareServer(["--timeout", "0.5"]);
  for (const code of [STUBBORN, "sum(range(10**14))"]) {
    const { status, error } = await reach(server, code);
    assertEquals(status, "timeout");
    assertMatch(String(error), /after 0\.5 s.* did not react.*--timeout/);
  }
});

testLimit(["--timeout"], "a value that is endless to write is", async () => {
  const server = await shareServer();
  const { status, error } = await reach(
    server,
    "class A:\n    def __repr__(self):\n        while True: pass\n[A(), A()]",
    { timeout: 1 },
  );
  assertEquals(status, "timeout", String(error));
});

testLimit(
  ["--max-timeout"],
  "a call that asks for more is refused",
  async () => {
    await using server = await startServer([
      ...["--timeout", "5", "--max-timeout", "5"],
    ]);
    for (const timeout of [5.1, 1e308, 10 ** 30, 0, -1]) {
      const { status, error } = await server.call("1", { timeout });
      assertEquals([status, error], [
        "invalid-arguments",
        `timeout is ${timeout}, and must be above 0 and at most 5 seconds (--max-timeout)`,
      ]);
    }
    const short = await reach(server, "while True: pass", { timeout: 1e-9 });
    assertMatch(String(short.error), /stopped after 0\.001 s/);
  },
);

testLimit(
  ["--cpu-time"],
  "code that computes too long is stopped",
  async () => {
    await using server = await startServer(["--cpu-time", "0.5"]);
    const loop = await reach(server, "print('on')\nwhile True: pass");
    assertEquals([loop.status, loop.output, loop.error], [
      "timeout",
      ["on"],
      "The code was stopped after 0.5 s of CPU time, its limit. Allow more with --cpu-time.",
    ]);
    const stubborn = await reach(server, STUBBORN);
    assertEquals(stubborn.status, "timeout");
    assertMatch(String(stubborn.error), /did not react.*--cpu-time/);
  },
);

testLimit(
  ["--cpu-time"],
  "sleeping takes none, and each run has its own",
  async () => {
    await using server = await startServer(["--cpu-time", "1"]);
    const asleep = await reach(
      server,
      "import asyncio, time\ntime.sleep(1.5)\nawait asyncio.sleep(1.5)\n'awake'",
    );
    assertEquals(asleep.returnValue, "awake", asleep.text);
  },
);

testLimit(["--memory"], "Python's memory has an end", async () => {
  await using server = await startServer(["--memory", "256"]);
  const bombs = [
    "hoard = []\nwhile True: hoard.append(bytearray(1 << 20))",
    "'x' * 10**9",
    "hoard = []\nwhile True: hoard.append(hoard[:])",
    "b''.join(iter(lambda: b'x' * 10**6, None))",
  ];
  for (const bomb of bombs) {
    const { status, error } = await reach(server, bomb);
    assertEquals([status, error], [
      "memory-limit",
      "Python ran out of memory: its limit is 256 MiB. Work on smaller parts, or allow more with --memory.",
    ], bomb);
  }
  const caught = await reach(
    server,
    "try: bytearray(10**9)\nexcept MemoryError: answer = 'less, then'\nanswer",
  );
  assertEquals(caught.returnValue, "less, then");
});

testLimit(["--memory"], "so has the process, whatever fills it", async () => {
  await using server = await startServer([
    ...["--memory", "128", "--max-files-size", "1"],
  ]);
  const bombs = {
    "one array of JavaScript":
      "import js\nfor _ in range(3): js.Uint8Array.new(10**9).fill(1)",
    "many arrays of JavaScript":
      "import js\nhoard = []\nwhile True:\n    hoard.append(js.Uint8Array.new(1 << 22).fill(1))",
    "copies of Python's":
      "from pyodide.ffi import to_js\nhoard = []\nwhile True: hoard.append(to_js(bytes(10**7)))",
    "a pipe":
      "import os\n_, end = os.pipe()\nwhile True: os.write(end, bytes(10**6))",
  };
  for (const [what, bomb] of Object.entries(bombs)) {
    const { status, error } = await reach(server, bomb);
    assertEquals([status, error], [
      "memory-limit",
      "Python's process grew by more than 641 MiB: 128 (--memory), 1 for files (--max-files-size) and 512. Work on smaller parts, or allow more with --memory.",
    ], what);
  }
});

testLimit(["--memory"], "so has JavaScript's own memory", async () => {
  await using server = await startServer(["--memory", "1024"]);
  const { status, error } = await reach(
    server,
    "import js\nhoard = []\nwhile True: hoard.append(js.Array.new(1 << 22).fill(1.5))",
  );
  assertEquals(status, "memory-limit", String(error));
  assertMatch(String(error), /JavaScript ran out of memory.* --memory/);
});

const NO_SPACE = /OSError: \[Errno 51\] No space left on device/;

/** Ways to hold more in files than there is room for. */
const LARGE = {
  "one write": "open('x', 'wb').write(bytes(10**8))",
  "many writes":
    "with open('x', 'wb') as f:\n    while True: f.write(bytes(1000))",
  "a hole": "with open('x', 'wb') as f:\n    f.seek(2 * 10**9); f.write(b'x')",
  "truncate": "import os\nopen('x', 'w').close()\nos.truncate('x', 2 * 10**9)",
  "many files":
    "n = 0\nwhile True:\n    with open(f'{n}', 'wb') as f: f.write(bytes(10**5))\n    n += 1",
  "deleted files that are open": `
import os
held = []
while True:
    held.append(open('x', 'wb', buffering=0)); held[-1].write(bytes(10**5)); os.remove('x')`,
};

testLimit(["--max-files-size"], "files have no more room", async () => {
  const server = await shareServer(["--max-files-size", "4"]);
  for (const [what, code] of Object.entries(LARGE)) {
    const { status, error } = await reach(server, code);
    assertEquals(status, "run-error", what);
    assertMatch(String(error), NO_SPACE, what);
    assertMatch(
      String(error),
      /may hold 4 MiB, and be 10000 .* --max-files-size\.$/,
    );
  }
});

testLimit(
  ["--max-files-size"],
  "all of the room can be used, and anew",
  async () => {
    const server = await shareServer(["--max-files-size", "4"]);
    const { returnValue, text } = await reach(
      server,
      `
import os
MIB = 1 << 20
said = []
def attempt(size, name="x"):
    try:
        with open(name, "wb", buffering=0) as file:
            while size > 0:
                size -= file.write(bytes(min(size, 10_000)))
        said.append("fits")
    except OSError as error:
        said.append(error.strerror)
attempt(4 * MIB)
attempt(4 * MIB)
attempt(1, "y")
os.truncate("x", 4 * MIB - 1)
attempt(1, "y")
attempt(2, "y")
os.remove("x")
attempt(4 * MIB, "y")
for n in range(50):
    attempt(3 * MIB, "y")
    os.rename("y", "z")
    os.remove("z")
with open("y", "wb", buffering=0) as file:
    file.write(bytes(3 * MIB))
    for n in range(2):
        attempt(MIB, "z")
        os.remove("z")
with open("y", "wb+") as file:
    file.seek(4 * MIB - 1)
    file.write(b"x")
    file.seek(0)
    whole = file.read()
said[:7], set(said[7:]), len(whole), whole.strip(b"\\0").decode()`,
    );
    const full = "No space left on device";
    assertEquals(
      returnValue,
      [
        ["fits", "fits", full, "fits", full, "fits", "fits"],
        ["fits"],
        1 << 22,
        "x",
      ],
      text,
    );
  },
);

testLimit(
  ["--max-files-size"],
  "a database says that the disk is full",
  async () => {
    const server = await shareServer(["--max-files-size", "4"]);
    const { returnValue, text } = await reach(
      server,
      `
import sqlite3
base = sqlite3.connect("a.db")
base.execute("create table t (a)")
try:
    for _ in range(9):
        base.execute("insert into t values (?)", (bytes(10**6),))
        base.commit()
except sqlite3.OperationalError as error:
    said = str(error)
    base.rollback()
said, set(base.execute("select length(a) from t").fetchall())`,
    );
    assertEquals(
      returnValue,
      ["database or disk is full", [[10 ** 6]]],
      text,
    );
  },
);

testLimit(
  ["--max-files-size"],
  "a package's file counts once it is changed",
  async () => {
    const data = "x".repeat(300_000);
    const files = Object.fromEntries(
      [0, 1, 2, 3, 4].map((n) => [`mrp_fixture_data/${n}.txt`, data]),
    );
    await using cache = await makeCache();
    await using index = startIndex([
      wheel({ name: "mrp-fixture-data", files }),
    ]);
    await using server = await startServer([
      ...["--cache-dir", cache.folder, "--index-url", index.url],
      ...["--deps", "mrp-fixture-data", "--max-files-size", "1"],
    ]);
    const { returnValue, text } = await reach(
      server,
      `
import os, site
changed, said = [], None
os.chdir(site.getsitepackages()[0] + "/mrp_fixture_data")
try:
    for n in range(5):
        with open(f"{n}.txt", "ab") as file:
            file.write(b"#")
        changed.append(os.stat(f"{n}.txt").st_size)
except OSError as error:
    said = error.strerror
changed, said`,
    );
    assertEquals(
      returnValue,
      [Array(3).fill(300_001), "No space left on device"],
      text,
    );
  },
);

testLimit(
  ["maxFiles"],
  "there are so many files, folders and links",
  async () => {
    await using server = await startServer(["+maxFiles=100"]);
    const makers = {
      "files": "open(f'{n}', 'w').close()",
      "folders": "os.mkdir(f'{n}')",
      "folders in folders": "os.mkdir('d'); os.chdir('d')",
      "links": "os.symlink('x', f'{n}')",
      "deleted files that are open":
        "held.append(open('x', 'w')); os.remove('x')",
    };
    for (const [what, make] of Object.entries(makers)) {
      const { status, error, output } = await reach(
        server,
        `import os\nheld, n = [], 0\nwhile True:\n    ${make}; n += 1; print(n)`,
      );
      assertEquals([status, output.at(-1)], ["run-error", "100"], what);
      assertMatch(String(error), NO_SPACE);
      assertMatch(
        String(error),
        /be 100 with their folders\. .*--max-files-size\.$/,
      );
    }
    const freed = await reach(
      server,
      `
import os, shutil
for _ in range(500):
    open("x", "w").close()
    os.remove("x")
for _ in range(20):
    os.makedirs("a/b/c")
    for n in range(90): open(f"a/b/c/{n}", "w").close()
    shutil.rmtree("a")
os.listdir()`,
    );
    assertEquals(freed.returnValue, [], freed.text);
  },
);

testLimit(
  ["maxFiles"],
  "names and links are not for storing data",
  async () => {
    const server = await shareServer();
    const { returnValue } = await reach(
      server,
      `
import os
open("a" * 255, "w").close()
said = []
for attempt in (
    lambda: open("a" * 256, "w"),
    lambda: os.mkdir("a" * 10**6),
    lambda: os.rename("a" * 255, "b" * 256),
    lambda: os.symlink("a" * 5000, "link"),
):
    try: attempt()
    except OSError as error: said.append(error.strerror)
said`,
    );
    assertEquals(returnValue, Array(4).fill("Filename too long"));
  },
);

testLimit(
  ["maxFiles", "--max-files-size"],
  "Python cannot lift them by JavaScript",
  async () => {
    const server = await shareServer(["--max-files-size", "4"]);
    const { status, error } = await reach(
      server,
      `
import os, pyodide_js, sys
from js import Object
from pyodide.ffi import to_js
fs = pyodide_js._module.FS
memory = fs.filesystems.MEMFS
open("x", "w").close()
for owner, name in (
    (memory, "createNode"), (memory, "expandFileStorage"), (memory, "resizeFileStorage"),
    (memory, "ops_table"), (memory.stream_ops, "write"),
    (memory.ops_table.file.stream, "write"), (memory.ops_table.file.node, "setattr"),
    (memory.ops_table.dir.node, "rename"), (memory.ops_table.dir.node, "symlink"),
):
    before = getattr(owner, name)
    try: setattr(owner, name, None)
    except Exception: pass
    nothing = to_js({"value": None}, dict_converter=Object.fromEntries)
    try: Object.defineProperty(owner, name, nothing)
    except Exception: pass
    assert getattr(owner, name).js_id == before.js_id, name
for grow in (memory.expandFileStorage, memory.resizeFileStorage):
    try: grow(fs.lookupPath("/workspace/x").node, 10**7)
    except Exception: pass
    else: assert False, "it has grown"
# A file that was there before the limits, and counts once it is changed.
library = f"/lib/python3{sys.version_info.minor}.zip"
size = os.stat(library).st_size
os.truncate(library, size + 2**20)
try: open("x", "wb").write(bytes(2 * 2**20))
except OSError: pass
else: assert False, "the file that was there before does not count"
os.truncate(library, size)
open("x", "wb").write(bytes(10**7))`,
    );
    assertEquals(status, "run-error");
    assertMatch(String(error), NO_SPACE);
  },
);

testLimit(["--max-output"], "output keeps its head and tail", async () => {
  const server = await shareServer(["--max-output", "1000"]);
  const { status, output, text, structured } = await reach(
    server,
    "print('first'); print('x' * 10**6); print('last')",
  );
  assertEquals([status, output[0], output.at(-1)], [
    "success",
    "first",
    "last",
  ]);
  assertMatch(
    text,
    /999,0\d\d characters left out …[^]*Cut to 1,000 characters \(--max-output\)/,
  );
  assertEquals(Object(structured.truncated).output, 1_000_012);
  assert(text.length < 1500, `${text.length} characters`);
});

testLimit(
  ["--max-output"],
  "a value keeps its head and tail, however it is built",
  async () => {
    const server = await shareServer(["--max-output", "1000"]);
    const values = {
      "a long string": "'x' * 10**7",
      "a long list": "[0] * 10**7",
      "a wide tree": "[[[0] * 1000] * 1000] * 10",
      "a dict of many": "{n: [n] for n in range(10**5)}",
      "a deep list": "x = [0] * 400\nfor _ in range(90): x = [x]\n[x, x]",
      "an endless one":
        "class A(list):\n    def __iter__(self):\n        while True: yield self\nA([1] * 10**6)",
    };
    for (const [what, code] of Object.entries(values)) {
      const { status, text, structured } = await reach(server, code);
      assertEquals(status, "success", `${what}: ${text.slice(0, 300)}`);
      assertMatch(
        text,
        /(left out|[\d,]+ more|"length":\d+)[^]*(Cut to 1,000 characters \(--max-output\)|is summed up)/,
        what,
      );
      assert(text.length < 1500, `${what}: ${text.length} characters`);
      const { return_value: total } = Object(structured.truncated);
      assert(total > 1000, what);
    }
  },
);

testLimit(
  ["--max-output"],
  "lines do not make a value long again",
  async () => {
    const server = await shareServer();
    const { status, text } = await reach(
      server,
      "x = [0] * 40_000\nfor _ in range(18): x = [x]\nx",
    );
    assertEquals(status, "success");
    assert(text.length < 30_500, `${text.length} characters`);
  },
);

testLimit(["--max-output"], "an error keeps its head and tail", async () => {
  const server = await shareServer(["--max-output", "1000"]);
  const { status, error, structured } = await reach(
    server,
    "error = ValueError('no')\nerror.add_note('x' * 10**6 + 'last')\nraise error",
  );
  assertEquals(status, "run-error");
  assertMatch(
    String(error),
    /^Traceback[^]*\n… [\d,]+ characters left out …\nx+last$/,
  );
  assertEquals(String(error).length < 1200, true);
  const { error: total } = Object(structured.truncated);
  assert(total > 10 ** 6 && total < 10 ** 6 + 1000, `${total} characters`);
});

testLimit(
  ["--max-output"],
  "the largest that can be asked for is served",
  async () => {
    await using server = await startServer(["--max-output", "400000"]);
    const { status, output, returnValue } = await reach(
      server,
      "print('\\1' * 10**7)\n'\\1' * 10**7",
    );
    assertEquals(status, "success");
    assertEquals(output.join("").length > 199_000, true);
    assertEquals(String(returnValue).length > 199_000, true);
  },
);

testLimit(["maxCode"], "longer code is refused", async () => {
  await using server = await startServer(["+maxCode=100"]);
  const { status, error } = await server.call("#".repeat(101));
  assertEquals(status, "invalid-arguments");
  assertMatch(
    String(error),
    /python_code has 101 bytes, and may have 100: send/,
  );
  assertEquals((await reach(server, "7".padEnd(100))).returnValue, 7);
});

testLimit(
  ["--max-concurrency", "maxQueue", "pool"],
  "more calls wait, and more than that are refused",
  async () => {
    await using server = await startServer([
      ...["+pool=1", "--max-concurrency", "1", "+maxQueue=1"],
    ]);
    const results = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        server.call(`import time; time.sleep(0.2); ${n}`).catch((error) => {
          // Over HTTP, a status of its own says so.
          if (VIA === "stdio") throw error;
          return { status: "busy", error: String(error) };
        })
      ),
    );
    const refused = results.filter(({ status }) => status !== "success");
    assertEquals(refused.length, 2);
    for (const { status, error } of refused) {
      assertEquals(status, "busy");
      assertMatch(
        String(error),
        /taken: \d+ to run, 1 to wait.*--max-concurrency/,
      );
    }
    assertEquals((await reach(server, "5")).returnValue, 5);
  },
);

testLimit(
  ["--max-wait"],
  "a call that waits too long is refused",
  async () => {
    await using server = await startServer([
      ...["+pool=1", "--max-concurrency", "1", "--max-wait", "1"],
    ]);
    // Python may need longer to get ready.
    while ((await server.call("1")).status === "busy");
    const [, ...others] = await Promise.all(
      [4, 0, 0].map((s) => server.call(`import time; time.sleep(${s})`)),
    );
    for (const { status, error } of others) {
      assertEquals(status, "busy", error);
      assertMatch(String(error), /waited 1 s.*not run\. .*--max-wait/);
    }
  },
);

Deno.test("recursion ends in Python's own error, or with its interpreter alone", async () => {
  const server = await shareServer();
  const endless = "def f(n): return f(n + 1)\nf(0)";
  const usual = await reach(server, endless);
  assertEquals(usual.status, "run-error");
  assertMatch(String(usual.error), /RecursionError: maximum recursion depth/);

  const deep = await reach(
    server,
    `import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return n and 1 + f(n - 1)\nf(50_000)`,
  );
  assertEquals(deep.returnValue, 50_000, deep.text);

  const deeper = await reach(
    server,
    `import sys\nsys.setrecursionlimit(50_000)\n${endless}`,
  );
  assertEquals(deeper.status, "run-error", deeper.text);
  assertMatch(
    String(deeper.error),
    /repeated 997 more times\]\nRecursionError/,
  );

  const endlessly = await reach(
    server,
    `import sys\nsys.setrecursionlimit(10**9)\n${endless}`,
  );
  assertMatch(
    endlessly.status,
    /^(crashed|memory-limit|run-error)$/,
    endlessly.text,
  );
});

Deno.test("a stack that is full is said to be", async () => {
  const server = await shareServer();
  const { status, error } = await reach(
    server,
    "h = []\nfor _ in range(10**6): h = [h]\ndel h",
  );
  assertEquals([status, error], [
    "crashed",
    "The interpreter died: its stack was full. Nest and recurse less deep.",
  ]);
});

Deno.test("a value that run does not show is not written", async () => {
  const { code, stdout, stderr } = await command(
    ["run", "-c", "print('on')\n'x' * 10**8"],
  );
  assertEquals([code, stdout], [0, "on\n"], stderr);
});

testLimit(
  ["callWaits"],
  "a run whose call waits has that time beside its own",
  async () => {
    const ask = "from mcp_runner.host_calls import call_sync\n";
    await using server = await startServer(
      [
        ...CODE_MODE,
        "--timeout",
        "1",
        "--call-timeout",
        "100",
        "+callWaits=0.02",
      ],
      "2025-11-25",
      fileURLToPath(import.meta.resolve("./support/answering_cli.ts")),
    );
    const run = async (code: string) => {
      const { structuredContent } = await server.client.callTool({
        ...{ name: "run_python", arguments: { code } },
      });
      return { ...Object(structuredContent) };
    };
    const started = performance.now();
    const late = await run(`${ask}print("on")\ncall_sync("hang", "me")`);
    const seconds = (performance.now() - started) / 1000;
    assertEquals([late.status, late.stdout], ["timeout", ["on"]]);
    assertMatch(
      late.error,
      /after 1 s, its time limit, and 2 s in which its calls waited\. .*--timeout\./,
    );
    assert(seconds >= 3, `${seconds}`);
    const next = await run(`${ask}call_sync("echo", 42)`);
    assertEquals(next.return_value, 42);
  },
);

const found = await getPyodide027();
const folder = "folder" in found ? found.folder : "";
if ("reason" in found) log(`skipped: limits of --pyodide: ${found.reason}`);

Deno.test({
  name: "--pyodide: another Python has the same limits",
  ignore: folder === "" || !ALL_ROUNDS,
  async fn() {
    await using server = await startServer([
      ...["--pyodide", folder, "--max-files-size", "4", "+maxFiles=100"],
      ...["--cpu-time", "2"],
    ]);
    for (const [what, code] of Object.entries(LARGE)) {
      const { status, error } = await reach(server, code);
      assertEquals(status, "run-error", what);
      assertMatch(String(error), NO_SPACE, what);
    }
    const many = await reach(
      server,
      "n = 0\nwhile True:\n    open(f'{n}', 'w').close(); n += 1; print(n)",
    );
    assertEquals(many.output.at(-1), "100");
    const loop = await reach(server, "while True: pass");
    assertMatch(String(loop.error), /after 2 s of CPU time.* --cpu-time/);
  },
});

Deno.test("every limit has a test, and a line in docs/limits.md", async () => {
  const read = (path: string) =>
    Deno.readTextFile(new URL(`../${path}`, import.meta.url));
  const page = await read("docs/limits.md");
  const others = await Promise.all(otherTests().map(read));
  const limits = OPTIONS.filter(({ spec }) => spec.group === "Limits")
    .map((
      { flag, spec },
    ): [string, unknown] => [flag, spec.default ?? spec.usually]);
  assert(limits.length >= 9);
  const constants = Object.entries(CONSTANTS).filter(([name]) =>
    !IN_HTTP.includes(name)
  );
  for (const [name, value] of [...limits, ...constants]) {
    const isTested = hit.has(name) ||
      others.some((test) =>
        test.includes(`"${name}"`) || test.includes(`"+${name}=`)
      );
    assert(isTested, `${name} is given to no server in a test`);
    const row = page.split("\n").find((line) =>
      line.startsWith("|") && line.includes(`\`${name}\``)
    );
    assert(row, `${name} has no line`);
    const usual = Number(value);
    if (Number.isNaN(usual)) continue;
    const texts = [usual.toLocaleString("en-US"), String(usual)];
    if (usual === 1 << 20) texts.push("1 MiB");
    assert(
      texts.some((text) => row.includes(text)),
      `${name} is ${usual}, and not as in ${row}`,
    );
  }
});

/** They have lines in docs/http.md. */
const IN_HTTP = [
  ...["httpPath", "headerTimeoutSeconds", "maxHttpConnections", "pool"],
  ...["maxSessions", "bodyTimeoutSeconds"],
  ...["maxRequests", "maxMcpSessions", "maxBodyMiB"],
];

/** Limits of larger things are hit where these are tested. */
function otherTests(): string[] {
  return [...Deno.readDirSync(new URL(".", import.meta.url))]
    .map(({ name }) => `test/${name}`)
    .filter((path) => /_test\.ts$/.test(path) && !/limits_test/.test(path));
}
