/**
 * Each command as a user meets it: real processes, real streams.
 *
 * @module
 */
import { join } from "node:path";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { readLines } from "../src/protocol/lines.ts";
import { makeCache, makeEmptyCache } from "./support/cache.ts";
import { CACHE, CLI, command, REAL_DEPS } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { startIndex } from "./support/index_server.ts";
import { NO_INDEX } from "./support/real_index.ts";
import { wheel } from "./support/wheel.ts";

/** Runs code from the shell. */
function run(code: string, ...options: string[]) {
  return command([...options, "run", "-c", code]);
}

Deno.test("a first start that cannot fetch npm packages names the remedy", async () => {
  for (const name of ["install", "pipe"]) {
    await using folder = await tempFolder();
    const { code, stderr } = await command([name], {
      env: { DENO_DIR: folder.path, HTTPS_PROXY: "http://127.0.0.1:9" },
    });
    assertMatch(stderr, /^error: Cannot (load this program: .*npm|download)/m);
    assertMatch(stderr, /HTTPS_PROXY names, .*DENO_CERT.*DENO_DIR names/m);
    assertEquals(code, 1);
  }
});

Deno.test("--help is a page with commands, options and examples", async () => {
  const { code, stdout, stderr } = await command(["--help"]);
  assertMatch(stdout, /^Usage: mcp-run-python \[options\] <command>/);
  for (const title of ["Commands", "Options that people use", "Examples"]) {
    assertMatch(stdout, RegExp(`^${title}:$`, "m"));
  }
  assertMatch(stdout, /mcp-run-python --deps numpy,pandas stdio/);
  assertEquals([code, stderr], [0, ""]);
});

Deno.test("--version prints the version alone", async () => {
  const { code, stdout } = await command(["-V"]);
  assertMatch(stdout, /^\d+\.\d+\.\d+\n$/);
  assertEquals(code, 0);
});

Deno.test("a wrong command line ends with 2, and names the nearest right word", async () => {
  const wrong: [string[], RegExp][] = [
    [["--tiemout", "3", "stdio"], /'--tiemout'\. Did you mean --timeout\?/],
    [["stdoi"], /'stdoi'\. Did you mean stdio\?/],
    [["--return-mode", "jsn", "stdio"], /"jsn".* Did you mean json\?/],
    [["--memory", "1GiB", "stdio"], /"1GiB" for --memory/],
    [["run"], /Cannot run without code/],
    [["cache"], /Cannot use cache without an action: dir, list/],
    [["cache", "claen"], /"claen".* Did you mean clean\?/],
    [["--find-links", "/no/such", "stdio"], /"\/no\/such".* does not exist/],
    [["--index-url", "u:pass@h", "stdio"], /"\*\*\*@h" for --index-url/],
    [[], /Cannot start without a command/],
    [["--port", "8000"], /with .*--port.* use streamable-http or doctor\./],
    [["-c", "1"], /with .*--code.* use run\./],
    [["http"], /'http'\. Use streamable-http\./],
    [
      ["foo"],
      /^error: Unknown command 'foo'\. Use stdio or streamable-http to serve, or run/,
    ],
    [["plot.py"], /'plot\.py'\. To run a file, use run plot\.py\./],
    [["install", "numpy"], /as in: --deps numpy install\./],
    [["run", "-c", "1", "--deps", "x"], /as in: run --deps … -c <code>\./],
    [["help", "instal"], /"instal" .* Did you mean install\?/],
  ];
  for (const [args, says] of wrong) {
    const { code, stdout, stderr } = await command(args);
    assertMatch(stderr, says);
    assertMatch(stderr, /^error: .*\nSee mcp-run-python --help\.\n$/);
    assertEquals([code, stdout], [2, ""]);
  }
});

Deno.test("an install of what cannot run says why, and what to use", async () => {
  const { code, stderr } = await command([
    ...["--offline", "--deps", "torch", "install"],
  ]);
  assertEquals(code, 1);
  assertMatch(
    stderr,
    /wheel of "torch".* torch cannot run here: .* Use scikit-learn/,
  );
});

Deno.test("a flag wins over its variable, and a variable over the default", async () => {
  const options = { env: { MCP_RUN_PYTHON_TIMEOUT: "0.2" } };
  const endless = ["-c", "while True: pass", "run"];
  const variable = await command(endless, options);
  assertMatch(variable.stderr, /after 0\.2 s/);
  const flag = await command(["--timeout", "0.3", ...endless], options);
  assertMatch(flag.stderr, /after 0\.3 s/);

  const misspelt = await command(["run", "-c", "print(1)"], {
    env: { MCP_RUN_PYTHON_TIMOUT: "1" },
  });
  assertMatch(misspelt.stderr, /Did you mean MCP_RUN_PYTHON_TIMEOUT\?/);
  assertEquals(misspelt.stdout, "1\n");
});

Deno.test("run prints to the streams that Python printed to", async () => {
  const { code, stdout, stderr } = await run(
    "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.write('é')\n6 * 7",
  );
  assertEquals([code, stdout, stderr], [0, "out\né", "err\n"]);
});

Deno.test("run prints while the code is still running", async () => {
  await using launcher = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "--cache-dir", CACHE, "--timeout", "86400"],
      ...["run", "-c", "print('first')\nwhile True: pass"],
    ],
    stdout: "piped",
  }).spawn();
  const lines = readLines(launcher.stdout, 1000);
  const { value } = await lines.next();
  assertEquals(new TextDecoder().decode(value || undefined), "first");
  launcher.kill();
  await lines.return(undefined);
});

Deno.test("run ends with Python's exit code", async () => {
  const codes: Record<string, number> = {
    "pass": 0,
    "import sys; sys.exit()": 0,
    "import sys; sys.exit(3)": 3,
    // Not a success, though a process would tell 0.
    "import sys; sys.exit(256)": 1,
    "raise SystemExit('no more')": 1,
    "1 / 0": 1,
    "not Python": 1,
  };
  for (const [source, expected] of Object.entries(codes)) {
    const { code, stdout } = await run(source);
    assertEquals([source, code, stdout], [source, expected, ""]);
  }
  const failed = await run("print('before')\n1 / 0");
  assertEquals(failed.stdout, "before\n");
  assertMatch(
    failed.stderr,
    /^Traceback \(most recent call last\):\n {2}File "main\.py", line 2, in <module>\n[^]*\nZeroDivisionError: division by zero\n$/,
  );
});

Deno.test("run ends with 1 at a limit, and names it", async () => {
  const late = await run("print('on')\nwhile True: pass", "--timeout", "0.3");
  assertEquals([late.code, late.stdout], [1, "on\n"]);
  assertMatch(late.stderr, /after 0\.3 s/);
  const greedy = await run("x = bytearray(10 ** 9)", "--memory", "128");
  assertEquals([greedy.code, greedy.stdout], [1, ""]);
  assertMatch(greedy.stderr, /128 MiB.*--memory/);
});

Deno.test("run takes a file, or standard input", async () => {
  await using folder = await makeEmptyCache();
  const write = async (name: string, content: string | Uint8Array) => {
    const path = join(folder.folder, name);
    await Deno.writeFile(
      path,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    return path;
  };
  const script = "print('käse', __name__)\n";
  const expected = "käse __main__\n";
  const file = await write("a b.py", script);
  assertEquals((await command(["run", file])).stdout, expected);
  const options = { cwd: folder.folder };
  assertEquals((await command(["run", "a b.py"], options)).stdout, expected);
  const piped = await command(["run", "-"], { stdin: script });
  assertEquals(piped.stdout, expected);
  const marked = await write("bom.py", `\uFEFF${script}`);
  assertEquals((await command(["run", marked])).stdout, expected);
  const large = await write("large.py", `${"#".repeat(2 << 20)}\n${script}`);
  assertEquals((await command(["run", large])).stdout, expected);

  const nul = await command(["run", await write("nul.py", "1\u00002")]);
  assertEquals([nul.code, nul.stdout], [1, ""]);
  assertMatch(nul.stderr, /null byte/);
});

Deno.test("run says why a file cannot be run", async () => {
  await using folder = await makeEmptyCache();
  const latin = join(folder.folder, "latin.py");
  const bytes = new Uint8Array([35, 0xe9, 10]);
  await Deno.writeFile(latin, bytes);
  const wrong: [string, RegExp][] = [
    [
      join(folder.folder, "no.py"),
      /^error: Cannot read .*no\.py: No such file/,
    ],
    [folder.folder, /^error: Cannot read .*: Is a directory\. Name a file/],
    [latin, /^error: Cannot run .*latin\.py as it is not UTF-8 text; save it/],
    ["-", /^error: Cannot run standard input as it is not UTF-8 text; save it/],
  ];
  for (const [file, says] of wrong) {
    const { code, stdout, stderr } = await command(["run", file], {
      stdin: bytes,
    });
    assertMatch(stderr, says);
    assertEquals([code, stdout, stderr.trim().split("\n").length], [2, "", 1]);
  }
});

Deno.test("run installs what a script says that it needs", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    wheel({ name: "mrp-fixture-script" }),
    wheel({ name: "mrp-fixture-line" }),
  ]);
  const script = `# /// script
# requires-python = ">=3.11"
# dependencies = ["MRP_Fixture.Script"]
# ///
import mrp_fixture_script, mrp_fixture_line
print("both")
`;
  const file = join(cache.folder, "script.py");
  await Deno.writeTextFile(file, script);
  const options = ["--index-url", index.url, "--deps", "mrp-fixture-line"];
  for (const source of [[file], ["-"], ["-c", script]]) {
    const { code, stdout, stderr } = await cache.command(
      [...options, "run", ...source],
      { stdin: script },
    );
    assertEquals([code, stdout], [0, "both\n"], stderr);
  }
});

Deno.test("run says why a script cannot be run here", async () => {
  const block = (line: string) => `# /// script\n# ${line}\n# ///\nprint(1)\n`;
  const wrong: [string, RegExp, number][] = [
    [
      // A package that is not there would fail the install.
      'requires-python = "<3.10"\n# dependencies = ["no-such-package-at-all"]',
      /^error: Cannot run standard input as it requires Python <3\.10, and this is 3\.\d+\.\d+\.\n$/,
      1,
    ],
    [
      "dependencies = [",
      /^error: Cannot run standard input: line 1 of its script block is not TOML: /,
      2,
    ],
    ['dependencies = ["./no.whl"]', /"\.\/no\.whl" of standard input: \//, 2],
  ];
  for (const [line, says, exitCode] of wrong) {
    const { code, stdout, stderr } = await command(
      ["--offline", "run", "-"],
      { stdin: block(line) },
    );
    assertMatch(stderr, says);
    assertEquals([code, stdout], [exitCode, ""]);
  }
});

Deno.test("run ends without a word when its output is not read", async () => {
  const process = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c"],
      "while True: print('on and on')",
    ],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await process.stdout.cancel();
  const { code, stderr } = {
    code: (await process.status).code,
    stderr: await new Response(process.stderr).text(),
  };
  assertEquals([code, stderr], [141, ""]);
});

Deno.test({
  name: "run says in a sentence that its output cannot be written",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const run = ["run", "-A", CLI, "--cache-dir", CACHE, "run", "-c"];
    const { code, stderr } = await new Deno.Command("sh", {
      args: [
        "-c",
        '"$@" > /dev/full',
        "sh",
        Deno.execPath(),
        ...run,
        "print(1)",
      ],
    }).output();
    assertEquals([code, new TextDecoder().decode(stderr)], [
      1,
      "error: Cannot write to stdout: No space left on device. Write to another place.\n",
    ]);
  },
});

Deno.test("help shows an option, and a start without -A its remedy", async () => {
  const { stdout } = await command(["help", "timeout"]);
  assertMatch(stdout, /^Option:\n {2}--timeout <seconds> {2}time of a run,/);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", CLI, "run", "-c", "1"],
  }).output();
  assertMatch(new TextDecoder().decode(stderr), /^error: .* without Deno's -A/);
  assertEquals(code, 2);
});

Deno.test("lock leaves other files alone", async () => {
  await using folder = await makeEmptyCache();
  const path = join(folder.folder, "script.py");
  await Deno.writeTextFile(path, "print(1)\n");
  const { code, stderr } = await command(["lock", path]);
  assertMatch(
    stderr,
    /^error: Cannot write the lock file ".*" as another file is there/,
  );
  assertEquals([code, await Deno.readTextFile(path)], [2, "print(1)\n"]);
});

Deno.test("cache dir prints the folder alone", async () => {
  const { code, stdout, stderr } = await command(["cache", "dir"]);
  assertEquals([code, stdout, stderr], [0, `${CACHE}\n`, ""]);
});

Deno.test("install says what is where", async () => {
  const { code, stdout, stderr } = await command(["--offline", "install"]);
  assertMatch(
    stdout,
    /^Python 3\.\d+\.\d+ \(Pyodide 314\.\d+\.\d+\)\nin .*\n$/,
  );
  assert(stdout.includes(`in ${CACHE}`));
  assertEquals(code, 0, stderr);
});

Deno.test("example runs offline, without packages", async () => {
  const { code, stdout, stderr } = await command(["--offline", "example"]);
  assertMatch(stdout, /^The code:\n\n {2}results = \{\}\n/);
  assertMatch(stdout, /<status>success<\/status>/);
  assertMatch(stdout, /mean of 4 temperatures: 20\.52/);
  assertEquals(code, 0, stderr);
});

Deno.test("example shows the packages that were asked for, and no other", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    wheel({ name: "mrp-fixture-asked", requires: ["mrp-fixture-needed"] }),
    wheel({ name: "mrp-fixture-needed" }),
  ]);
  const wanted = ["--index-url", index.url, "--deps", "MRP_Fixture.Asked>=1"];
  const { code, stdout, stderr } = await cache.command([...wanted, "example"]);
  assertMatch(
    stdout,
    /^The code:\n\n {2}import mrp_fixture_asked\n {2}results/,
  );
  assert(!stdout.includes("needed"), stdout);
  assertMatch(stdout, /<status>success<\/status>/);
  assertEquals(code, 0, stderr);
});

Deno.test("example ends with 1 if a package fails", async () => {
  await using cache = await makeCache();
  await using index = startIndex([
    wheel({
      name: "mrp-fixture-broken",
      files: {
        "mrp_fixture_broken/__init__.py": "raise ImportError('broken')",
      },
    }),
  ]);
  const wanted = ["--index-url", index.url, "--deps", "mrp-fixture-broken"];
  const { code, stdout } = await cache.command([...wanted, "example"]);
  assertMatch(stdout, /<status>run-error<\/status>[^]*ImportError: broken/);
  assertEquals(code, 1);
});

Deno.test({
  name: "example works with pydantic and rich from the real index",
  ignore: Boolean(NO_INDEX),
  async fn() {
    const args = ["--deps", REAL_DEPS, "example"];
    const { code, stdout, stderr } = await command(args);
    assertEquals(code, 0, stderr);
    assertMatch(stdout, /pydantic [\d.]+ read City\(name='Utrecht'/);
    assertMatch(stdout, /┃ what /);
  },
});
