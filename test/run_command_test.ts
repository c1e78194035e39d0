/**
 * `run` as a tool of the shell: arguments, standard input, modules, files,
 * values and Ctrl-C. `commands_test.ts` has its streams and exit codes.
 *
 * @module
 */
import { join } from "node:path";
import { assertEquals, assertMatch } from "../deps/assert.ts";
import { CACHE, CLI, command } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";

Deno.test("run: a script has its arguments, input, and the modules beside it", async () => {
  await using temp = await tempFolder();
  const [project, outside] = await temp.make("project", "outside");
  const files: Record<string, string> = {
    "script.py": `import sys, json, package.part, plain
from package import near
from bare.inner import IT
print(sys.argv, input("name? "), plain.X, package.part.Y, near.Z, IT)
print(plain.__file__, sys.path[0], list(sys.stdin), sys.stdin.read() == "")
try: import absent
except ModuleNotFoundError as error: print(error.name)
try: import linked
except ImportError as error: print(type(error).__name__)
from mcp_runner.host_calls import call_sync
for path in ["../outside/secret.py", ".env", "/etc/passwd", "script.txt"]:
    try: print(call_sync("read_module", path))
    except ValueError as error: print(error)
import os
print(os.path.exists("/script"), os.listdir("."))
import broken`,
    "plain.py": "# coding: latin-1\nX = 1",
    "package/__init__.py": "",
    "package/part.py": "Y = 2",
    "package/near.py": "from .part import Y\nZ = Y + 1",
    "bare/inner.py": "IT = 4",
    "broken.py": "def fail():\n    1 / 0\nfail()",
    ".env": "secret",
  };
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(project, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(project, path), text);
  }
  await Deno.writeTextFile(join(outside, "secret.py"), "raise Exception()");
  await Deno.symlink(join(outside, "secret.py"), join(project, "linked.py"));

  const { code, stdout, stderr } = await command(
    ["run", join(project, "script.py"), "a b", "--deps", "-c", ""],
    { stdin: "Ada\nsecond\nlast without an end", cwd: outside },
  );
  assertEquals(stdout.split("\n"), [
    `name? ['script.py', 'a b', '--deps', '-c', ''] Ada 1 2 3 4`,
    "/script/plain.py /script ['second\\n', 'last without an end'] True",
    "absent",
    "ModuleNotFoundError",
    ...Array(4).fill("Cannot import what is not beside the script."),
    "False []",
    "",
  ]);
  // The text of a module's line is in its traceback.
  assertMatch(
    stderr,
    /File "\/script\/broken\.py", line 2, in fail\n +1 \/ 0\n/,
  );
  assertEquals(code, 1);
});

Deno.test("run: files and pictures go to --out, in it alone", async () => {
  await using temp = await tempFolder();
  const [out, outside] = await temp.make("out", "outside");
  await Deno.writeTextFile(join(out, "old.txt"), "old");
  await Deno.symlink(outside, join(out, "link"));
  const source = `
import os
def write(path, text="new"):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file: file.write(text)
class Picture:
    def _repr_svg_(self): return "<svg/>"
for path in ["a/b.txt", "old.txt", "link/inside.txt", "../outside.txt", "/tmp/t.txt",
             ".git/config", "a/.hidden", "\\x1b[2Jx", "picture-1.svg"]:
    write(path)
os.symlink("/etc", "etc")
display(Picture())
print("printed")
{"of": ["the", "run"]}`;
  const kept = await command([
    "--out",
    out,
    "run",
    "--return-mode=value",
    "-c",
    source,
  ]);
  assertEquals(
    kept.stdout,
    `printed\n{"of":["the","run"]}\n`,
  );
  assertEquals(
    await namesIn(out),
    ["a", "link", "old.txt", "picture-1.svg", "picture-2.svg"],
  );
  assertEquals(await namesIn(join(out, "a")), ["b.txt"]);
  assertEquals(await namesIn(outside), []);
  for (const path of ["a/b.txt", "old.txt", "picture-1.svg"]) {
    assertEquals(await Deno.readTextFile(join(out, path)), "new");
  }
  assertEquals(await Deno.readTextFile(join(out, "picture-2.svg")), "<svg/>");
  assertMatch(
    kept.stderr,
    /^error: Cannot save "link\/inside\.txt": "link" is/m,
  );
  assertMatch(kept.stderr, /^error: Cannot save "\\u001b\[2Jx": /m);
  assertMatch(kept.stderr, /^In .*out: "/m);
  // All but those files are there.
  assertEquals(kept.code, 1);

  const lost = await command(["run", "-c", source]);
  assertEquals([lost.stdout, lost.code], ["printed\n", 0]);
  assertMatch(
    lost.stderr,
    /^Not kept: ".*", 3 more\. Keep files, pictures and pages with --out DIR\.\n$/,
  );
  const file = join(out, "old.txt");
  const wrong = await command(["run", "--out", file, "-c", "print(1)"]);
  assertMatch(wrong.stderr, /^error: Cannot save files in .*old\.txt: /);
  assertEquals([wrong.stdout, wrong.code], ["", 2]);
});

Deno.test("run: --return-mode json prints one object, whatever the code does", async () => {
  const run = async (source: string) => {
    const { stdout, stderr, code } = await command(
      ["--return-mode", "json", "run", "-", "an argument"],
      { stdin: source },
    );
    return {
      result: JSON.parse(stdout),
      lines: stdout.split("\n"),
      stderr,
      code,
    };
  };
  const well = await run(`import sys
print("out"); print("err", file=sys.stderr); print(sys.argv, list(sys.stdin))
open("f.txt", "w").write("text")
[1, "two"]`);
  assertEquals(well.result, {
    status: "success",
    output: ["out", "err", "['-', 'an argument'] []"],
    return_value: [1, "two"],
    exit_code: 0,
    files: [{ path: "f.txt", size: 4, mimeType: "text/plain" }],
  });
  assertEquals([well.lines.length, well.stderr, well.code], [2, "", 0]);
  const failed = await run("print('on'); import sys; sys.exit(7)");
  assertEquals(failed.result, {
    ...{ status: "run-error", output: ["on"], error: "", exit_code: 7 },
    files: [],
  });
  assertEquals([failed.stderr, failed.code], ["", 7]);
});

Deno.test("run: hints name what a shell can do", async () => {
  const source = `
import traceback
def attempt(code):
    try: exec(code, {})
    except Exception as error: failed.append(error)
failed = []
import asyncio, urllib.request
try: urllib.request.urlopen("http://example.com")
except OSError as error: print(error)
open("/home/user/data.csv")`;
  const { stderr, stdout } = await command(["run", "-c", source]);
  assertMatch(
    stdout,
    /"example\.com:80": run it with --allow-net example\.com/,
  );
  assertMatch(stderr, /--mount FOLDER shows a folder to the code/);
  const beside = await command(["run", "-c", "open('data.csv')"]);
  assertMatch(beside.stderr, /--mount FOLDER shows a folder to the code/);
  const missing = await command(["run", "-c", "import sys\nimport polars"]);
  assertMatch(missing.stderr, /run it with --deps polars\.\n$/);
  const late = ["run", "--timeout", "0.2", "-c", "while True: pass"];
  assertMatch((await command(late)).stderr, /Allow more with --timeout\.\n$/);
  const ended = await command(["run", "-c", "raise SystemExit('no more')"]);
  assertEquals([ended.stderr, ended.code], ["no more\n", 1]);
  const read = await command(["run", "-c", "input()"]);
  assertMatch(read.stderr, /EOFError.*\nStandard input has no more lines\.\n$/);
});

Deno.test("run: input is read as it comes, and only if the code reads it", async () => {
  await using process = start(`print("on", flush=True)
for line in map(str.upper, iter(input, "end")): print(line, flush=True)`);
  assertEquals(await process.read(), "on\n");
  for (const line of ["one\n", "two\n"]) {
    await process.write(line);
    assertEquals(await process.read(), line.toUpperCase());
  }
  // Its standard input stays open.
  await process.write("end\n");
  assertEquals(await process.ended, 0);
});

Deno.test("run: Ctrl-C is KeyboardInterrupt, which code may catch and go on", async () => {
  // Ctrl-C comes as soon as the code has said "on", which must be in the `try`.
  const caught: [source: string, output: string, code: number, on?: string][] =
    [
      [
        `import time
try:
    print("on", flush=True)
    time.sleep(1000)
except KeyboardInterrupt: print("bye")
finally: print("last")
time.sleep(0.01)
print("went on")`,
        "bye\nlast\nwent on\n",
        0,
      ],
      [
        `import asyncio, sys
try:
    print("on", flush=True)
    while True: pass
except KeyboardInterrupt: print("bye")
await asyncio.sleep(0.01)
sys.exit(3)`,
        "bye\n",
        3,
      ],
      [
        'try: input("on? ")\nfinally: print("last")',
        "last\n",
        130,
        "on? ",
      ],
      [
        'import asyncio\nprint("on", flush=True)\nawait asyncio.sleep(1000)',
        "",
        130,
      ],
      // It is deaf.
      ['print("on", flush=True)\nsum(range(10 ** 15))', "", 130],
    ];
  for (const [source, output, code, on = "on\n"] of caught) {
    await using process = start(source);
    assertEquals(await process.read(), on);
    process.interrupt();
    const rest = await process.rest();
    assertEquals([rest, await process.ended], [output, code]);
  }
  await using stubborn = start(`said = "on"
while True:
    try:
        print(said, flush=True)
        while True: pass
    except KeyboardInterrupt: said = "no"`);
  assertEquals(await stubborn.read(), "on\n");
  stubborn.interrupt();
  assertEquals(await stubborn.read(), "no\n");
  stubborn.interrupt();
  assertEquals(await stubborn.ended, 130);
});

/** Starts `run -c`, whose standard input stays open. */
function start(source: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c", source],
    ...{ stdin: "piped", stdout: "piped", stderr: "null" },
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const writer = child.stdin.getWriter();
  const read = async () => (await reader.read()).value ?? "";
  return {
    read,
    async rest() {
      let all = "";
      for (let piece; (piece = await read()) !== "";) all += piece;
      return all;
    },
    write: (text: string) => writer.write(new TextEncoder().encode(text)),
    interrupt: () => child.kill("SIGINT"),
    ended: child.status.then(({ code }) => code),
    async [Symbol.asyncDispose]() {
      await writer.close().catch(() => {});
      await reader.cancel();
      await child.status;
    },
  };
}
