/**
 * Attacks of code on the engine Monty: each fails, and the next call is right.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { callRun } from "./support/monty_call.ts";
import { startServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";

const ENGINE = ["--engine", "monty"];
const share = () =>
  shareServer([...ENGINE, "--timeout", "3", "--memory", "256"]);
const nest = (levels: number) => `x = []\nfor i in range(${levels}): x = [x]\n`;
const ABSENT = /FileNotFoundError|PermissionError/;
const BOUNDED = /MemoryError|OverflowError|TimeoutError/;
const DEEP = /RecursionError|SyntaxError|SystemError|JSONDecodeError/;

/** Code, and the type of the error by which it ends; undefined if it ends well. */
const ATTACKS: [code: string, type: RegExp | undefined][] = [
  ["open('/etc/passwd').read()", ABSENT],
  ["open('../../etc/passwd').read()", ABSENT],
  ["open('/workspace/../proc/self/environ').read()", ABSENT],
  ["open('/dev/zero', 'rb').read()", ABSENT],
  ["open('/x', 'w').write('')", ABSENT],
  ["from pathlib import Path\nPath('/').rename('/y')", /Error/],
  ["import os\nos.system('id')", /AttributeError/],
  ["import subprocess", /ModuleNotFoundError/],
  ["import ctypes", /ModuleNotFoundError/],
  ["import socket", /ModuleNotFoundError/],
  ["import js", /ModuleNotFoundError/],
  ["().__class__.__base__.__subclasses__()", /AttributeError/],
  ["(lambda: 0).__globals__", /AttributeError/],
  ["__import__('os').system('id')", /Error/],
  ["'a' * 10 ** 10", BOUNDED],
  ["[0] * 10 ** 9", BOUNDED],
  ["10 ** 10 ** 10", BOUNDED],
  ["b'x' * (1 << 33)", BOUNDED],
  ["'a'.ljust(10 ** 10)", BOUNDED],
  ["f'{1:>1000000000}'", BOUNDED],
  ["x = ['a' * 1000 + str(i) for i in range(10 ** 7)]", BOUNDED],
  ["import os\nos.urandom(10 ** 9)", BOUNDED],
  ["import random\nrandom.sample(range(10 ** 9), 10 ** 8)", BOUNDED],
  ["def f(n): return f(n + 1)\nf(0)", DEEP],
  ["class A:\n  def __repr__(self): return repr(self)\nrepr(A())", DEEP],
  ["import asyncio\nasync def f(): await f()\nawait f()", DEEP],
  [`${nest(100_000)}y = x\n${nest(100_000)}x == y`, DEEP],
  [`import json\n${nest(100_000)}json.dumps(x)`, DEEP],
  ["import json\njson.loads('[' * 100000)", DEEP],
  [nest(100_000) + "x", undefined],
  [nest(100_000) + "len(repr(x)) > 0", undefined],
  [`${"(".repeat(100_000)}`, DEEP],
  [`${"-".repeat(100_000)}1`, DEEP],
  [`1${"+1".repeat(50_000)}`, DEEP],
  ["while True: print('x' * 1000)", /TimeoutError/],
  ["print('y' * 10_000_000)", undefined],
  ["try:\n  while True: pass\nexcept BaseException: pass", /TimeoutError/],
  [
    "def g():\n  try: g()\n  except RecursionError: g()\ng()",
    /TimeoutError|RecursionError/,
  ],
  ["while True: notify_progress('a', 1)", /TimeoutError/],
  [
    "from pathlib import Path\nfor i in range(10 ** 6): Path(f'd{i}').mkdir()",
    /OSError|TimeoutError/,
  ],
  ["http_request('http://127.0.0.1:1/')", /PermissionError|OSError/],
];

for (const [code, type] of ATTACKS) {
  Deno.test(`escape: Monty: ${JSON.stringify(code.slice(0, 60))}`, async () => {
    const server = await share();
    const attack = await callRun(server, code);
    assertEquals(attack.isError, type !== undefined, attack.text.slice(0, 300));
    if (type) assertMatch(attack.type, type);
    assert(!/root:x:0|PATH=/.test(attack.text));
    assertEquals((await callRun(server, "6 * 7")).result, { Int: 42 });
  });
}

Deno.test("escape: Monty: a run finds nothing of the runs before it", async () => {
  const server = await share();
  for (let times = 0; times < 30; times++) {
    const { result, interpreter, message } = await callRun(
      server,
      `import os
try:
    found = secret
except NameError:
    found = None
secret = "s" * 1000
leaks = [found, os.listdir("/workspace"), os.getcwd()]
open("left.txt", "w").write(secret)
os.chdir("/")
leaks`,
    );
    assertEquals(result, {
      List: ["None", { List: [] }, { String: "/workspace" }],
    }, message);
    assertEquals(interpreter, "fresh");
  }
});

Deno.test("escape: Monty: no path leads out of a mounted folder, and one that is read-only stays as it is", async () => {
  await using folder = await tempFolder();
  const [shown, outside] = await folder.make("shown", "outside");
  await Deno.writeTextFile(join(outside, "secret.txt"), "s3cret");
  await Deno.writeTextFile(join(shown, "a.txt"), "a");
  await Deno.symlink(outside, join(shown, "out"));
  await Deno.symlink(join(outside, "secret.txt"), join(shown, "file"));
  await using server = await startServer([
    ...[...ENGINE, "--mount", `${shown}:/mnt/m`],
  ]);
  for (
    const code of [
      "open('/mnt/m/out/secret.txt').read()",
      "open('/mnt/m/file').read()",
      "open('/mnt/m/../outside/secret.txt').read()",
      "from pathlib import Path\n[p.read_text() for p in Path('/mnt/m').rglob('*') if p.is_file() and p.name != 'a.txt'][0]",
      "open('/mnt/m/a.txt', 'w').write('b')",
      "from pathlib import Path\nPath('/mnt/m/a.txt').unlink()",
      "from pathlib import Path\nPath('/mnt/m/a.txt').rename('/workspace/a.txt')",
      "import os\nos.symlink('/etc', '/mnt/m/etc')",
    ]
  ) {
    const { isError, text } = await callRun(server, code);
    assert(isError && !text.includes("s3cret"), `${code}\n${text}`);
  }
  assertEquals(await Deno.readTextFile(join(shown, "a.txt")), "a");
  assertEquals((await namesIn(shown)).length, 3);
});

Deno.test("escape: Monty: a granted host does not open this machine", async () => {
  await using web = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("inside"),
  );
  const { port } = web.addr;
  await using server = await startServer([
    ...[...ENGINE, "--allow-net", "example.com"],
  ]);
  for (const host of ["127.0.0.1", "localhost", "[::1]", "0.0.0.0"]) {
    const { isError, text } = await callRun(
      server,
      `http_request("http://${host}:${port}/")`,
    );
    assert(isError && !text.includes("inside"), text);
  }
});
