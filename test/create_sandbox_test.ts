/**
 * The TypeScript library: real processes, real Python.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { createSandbox, type Sandbox } from "../src/library/sandbox.ts";
import { SandboxError } from "../src/library/program.ts";
import type { SandboxOptions } from "../src/library/options.ts";
import { log } from "../src/log.ts";
import { CACHE } from "./support/command.ts";
import { FOLDER_027 } from "./support/each_pyodide.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { share } from "./support/share.ts";

const NO_PROC = Deno.build.os !== "linux" && "needs /proc to find processes";
if (NO_PROC) log(`skipped: what a sandbox leaves: ${NO_PROC}`);

function create(options: SandboxOptions = {}): Promise<Sandbox> {
  return createSandbox({
    cacheDir: CACHE,
    ...options,
  });
}

/** The sandbox of the tests that only make calls. */
const shared = share(create);

Deno.test("createSandbox(): a run gives value, output, files, pictures, pages and timings", async () => {
  const sandbox = await shared();
  const told: string[] = [];
  const { timings, files, images, pages, ...rest } = await sandbox.run(
    `
import os, sys
class Drawing:
    def _repr_svg_(self): return "<svg xmlns='http://www.w3.org/2000/svg'/>"
from mcp_run_python import HTML
display(Drawing(), HTML("<p>é", title="t"))
print("one\u2028line")
print("warned", file=sys.stderr)
os.remove("text.txt")
open("out.bin", "wb").write(open("in.bin", "rb").read() * n)`,
    {
      globals: { n: 2 },
      files: { "text.txt": "é", "in.bin": new Uint8Array([1, 2]) },
      onOutput: (stream, text) => void told.push(`${stream} ${text.trim()}`),
    },
  );
  assertEquals(rest, {
    ...{ status: "success", value: 4, output: "one\u2028line\nwarned" },
    ...{ removed: ["text.txt"], truncated: {} },
  });
  assertEquals(files, { "out.bin": new Uint8Array([1, 2, 1, 2]) });
  const texts = images.map(({ data }) => new TextDecoder().decode(data));
  assertEquals(texts, ["<svg xmlns='http://www.w3.org/2000/svg'/>"]);
  assertEquals(pages, [{
    ...{ title: "t", about: 'HTML: "é"', html: "<p>é" },
    uri: "run-python://pages/page-1.html",
  }]);
  assert(timings.wallMs > 0 && timings.waitedMs >= 0);
  assertEquals(told.sort(), ["stderr warned", "stdout one\u2028line"]);
});

/** Without an index signature, as most types of users are. */
interface City {
  name: string;
  mayor?: string;
}

Deno.test("createSandbox(): output is what a terminal would show, and comes live in pieces", async () => {
  const sandbox = await shared();
  const told: string[] = [];
  const { output } = await sandbox.run(
    `import sys
print("piece", end="", flush=True)
print(" by piece", flush=True)
for n in range(1000): print(f"\\r{n}/999", end="", file=sys.stderr, flush=True)`,
    { onOutput: (stream, text) => void told.push(`${stream} ${text}`) },
  );
  assertEquals(output, "piece by piece\n999/999");
  assertEquals(told, ["stdout piece", "stdout  by piece\n", "stderr 999/999"]);
});

Deno.test("createSandbox(): an error has class, message and traceback; a callback that throws ends its run alone", async () => {
  const sandbox = await shared();
  const { status, error, exitCode } = await sandbox.run("{}['gone']");
  assertEquals([status, exitCode, error?.type, error?.message], [
    ...["run-error", 1, "KeyError", "'gone'"],
  ]);
  assertMatch(error?.traceback ?? "", /^Traceback .*KeyError: 'gone'$/s);
  const late = await sandbox.run("while True: pass", { timeoutSeconds: 0.5 });
  assertEquals([late.status, late.error?.type], ["timeout", "timeout"]);
  const elsewhere = await sandbox.run("1", { engine: "x" });
  assertEquals(elsewhere.status, "denied");
  assertMatch(elsewhere.error?.message ?? "", /the engine "x" as this server/);
  const other = sandbox.run("'other'");
  await assertRejects(
    sandbox.run("while True: print('more', flush=True)", {
      onOutput() {
        throw new TypeError("the reader broke");
      },
    }),
    /the reader broke/,
  );
  assertEquals((await other).value, "other");
  await assertRejects(
    sandbox.run("print('more')", {
      onOutput: () => Promise.reject(new TypeError("the writer broke")),
    }),
    /the writer broke/,
  );
});

Deno.test({
  name: "createSandbox(): a table of which rows are left out says so",
  ignore: FOLDER_027 === "",
  async fn() {
    await using sandbox = await create({
      options: { pyodide: FOLDER_027, offline: true, deps: "pandas" },
    });
    const ask = (rows: number) =>
      sandbox.run(`import pandas as pd\npd.DataFrame({"a": range(${rows})})`);
    const cut = await ask(1500);
    assert(Array.isArray(cut.value));
    assertEquals(cut.value.at(-1), "<500 more rows>");
    assertEquals(Object.keys(cut.truncated), ["return_value"]);
    assertEquals((await ask(1000)).truncated, {});
  },
});

Deno.test("createSandbox(): a run that needs too much memory has the limit as its message", async () => {
  await using sandbox = await create({ memoryMiB: 128 });
  const { status, error } = await sandbox.run("bytearray(500 * 2**20)");
  assertEquals([status, error?.type], ["memory-limit", "MemoryError"]);
  assertEquals(
    error?.message,
    "Python ran out of memory: its limit is 128 MiB. Work on smaller parts, or allow more with memoryMiB.",
  );
});

Deno.test("createSandbox(): a session keeps state and is copied, and a signal ends a run", async () => {
  const sandbox = await shared();
  await using session = sandbox.session();
  await session.run("x = 1");
  await using copy = await session.fork();
  await copy.run("x += 40");
  const stop = new AbortController();
  const stopped = await session.run(
    "print('on', flush=True)\nwhile True: pass",
    {
      signal: stop.signal,
      onOutput: () => stop.abort(),
    },
  );
  assertEquals(stopped.status, "cancelled");
  const values = [session, copy].map(async (one) => (await one.run("x")).value);
  assertEquals(await Promise.all(values), [1, 41]);
  assertEquals((await sandbox.run("'x' in globals()")).value, false);
});

Deno.test("createSandbox(): messages speak of options of the library", async () => {
  const sandbox = await shared();
  const errors = await Promise.all([
    "import numpy",
    "from urllib.request import urlopen\nurlopen('http://a.example')",
    "raise ValueError('start the server with --deps x')",
  ].map(async (code) => (await sandbox.run(code)).error));
  const [missing, host, own] = errors;
  assertMatch(
    `${missing?.traceback}`,
    /create the sandbox with dependencies: \["numpy"\]\.$/,
  );
  assertMatch(`${host?.message}`, /with allowNet: \["a.example"\]>$/);
  assertMatch(`${own?.message}`, /--deps x$/);
  for (
    const [given, message] of [
      [{ memoryMiB: 1 }, 'Cannot use "1" for memoryMiB as it must be'],
      [{ allowNet: ["a b"] }, 'Cannot use "a b" for allowNet as it must be'],
      [
        { options: { "max-output": "x" } },
        'Cannot use "x" for options: { "max-output": … } as it must be',
      ],
    ] as const
  ) {
    const error = await create(given).catch((error) => error);
    assert(error instanceof SandboxError);
    assert(error.message.startsWith(message), error.message);
    assert(!error.message.includes("--help"), error.message);
  }
});

Deno.test("createSandbox() tells the lines of a start on stderr, or to the program that takes them", async () => {
  for (const options of ["", ", onLog: () => {}"]) {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        "--ext=ts",
        `
import { createSandbox } from "${import.meta.resolve("../src/mod.ts")}";
const sandbox = await createSandbox({ cacheDir: ${
          JSON.stringify(CACHE)
        }${options} });
console.log((await sandbox.run("6 * 7")).value);
await sandbox.close();`,
      ],
      // A line as those of an install are, which take longer.
      env: { MCP_RUN_PYTHON_TIMOUT: "1", NO_COLOR: "1" },
    }).output();
    const told = new TextDecoder().decode(stderr);
    assertEquals(new TextDecoder().decode(stdout), "42\n", told);
    const line = /^mcp-run-python: Ignoring .*MCP_RUN_PYTHON_TIMEOUT\?/m;
    assertEquals(line.test(told), options === "", told);
  }
});

Deno.test("createSandbox() refuses wrong options and arguments by name", async () => {
  const wrong: Record<string, unknown> = { tiemout: 5 };
  await assertRejects(create(wrong), /no option "tiemout"/);
  const text: Record<string, unknown> = { dependencies: "numpy" };
  await assertRejects(create(text), /dependencies must be a list/);
  await assertRejects(
    create({ options: { timeout: "never" } }),
    /^SandboxError: Cannot use "never" for timeoutSeconds/,
  );
  const sandbox = await shared();
  await assertRejects(
    sandbox.run("1", { timeoutSeconds: 9999 }),
    /at most 600/,
  );
  const misspelt: Record<string, unknown> = { timeoutSecs: 5 };
  await assertRejects(sandbox.run("1", misspelt), /no option "timeoutSecs"/);
  for (
    const [rows, message] of [
      [[NaN], "NaN: send null, or a text that the code gives to float()"],
      [{ a: -Infinity }, "-Infinity: send null, or a text"],
      [[1n], "1: send a text that the code gives to int()"],
      [undefined, "undefined."],
    ] as const
  ) {
    const refused = sandbox.run("1", { globals: { rows } });
    const error = await refused.catch((error) => error);
    assert(error instanceof TypeError && error.message.includes(message));
    assertMatch(error.message, /variable "rows" to the sandbox: JSON has/);
  }
  const cities: City[] = [{ name: "Utrecht" }];
  const { value } = await sandbox.run("cities[0]", { globals: { cities } });
  assertEquals(value, { name: "Utrecht" });
  const code = JSON.parse("null");
  await assertRejects(sandbox.run(code), /TypeError: code must be a text/);
  await assertRejects(sandbox.install("rich"), /with allowInstall: \["rich"\]/);
  assertEquals((await sandbox.run("1")).value, 1);
});

Deno.test({
  name:
    "createSandbox(): equal sandboxes share processes, which end with the last",
  ignore: Boolean(NO_PROC),
  async fn() {
    const before = descendants(Deno.pid);
    const options = { env: { OWN: "a" } };
    const [first, second] = [await create(options), await create(options)];
    const launchers = () =>
      descendants(Deno.pid).filter((pid) => !before.includes(pid));
    assertEquals((await first.run("import os; os.environ['OWN']")).value, "a");
    const session = first.session();
    const endless = "print('on', flush=True)\nwhile True: pass";
    const ends = await Promise.all([first, session].map(async ({ run }) => {
      const on = Promise.withResolvers<void>();
      const end = run(endless, { onOutput: () => on.resolve() });
      await on.promise;
      return { end };
    }));
    await first.close();
    await first.close();
    for (const { end } of ends) assertEquals((await end).status, "cancelled");
    for (const { run } of [first, session]) {
      await assertRejects(run("1"), /SandboxError: .*closed/);
    }
    assertEquals((await second.run("2")).value, 2);
    await assertRejects(first.run("2"), /closed: create another one/);
    const family = launchers();
    await second.close();
    assertEquals(await whichOutlive(family), []);
    await assertRejects(second.run("3"), /SandboxError: .*closed/);
  },
});
