import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { ENGINE } from "../engines/index.ts";
import { UserError } from "../errors.ts";
import { DEFAULTS, OPTIONS } from "../settings.ts";
import { parseArguments } from "./arguments.ts";
import type { Env } from "./context.ts";

const context = machine({
  "/srv/app/r.txt": "rich\nnumpy\n",
  "/srv/app/sub/s.txt": `-c c.txt
-f wheels
-i https://file.example/simple
--extra-index-url https://more.example/simple
tqdm==1 --hash=sha256:${"0a".repeat(32)}`,
  "/srv/app/sub/c.txt": "numpy<3",
  "/srv/app/wheels/x-1.0-py3-none-any.whl": "",
  "/srv/app/a b/x": "",
  "/srv/app/a,b/x": "",
  "/srv/app/my.lock": 'lock-version = "1.0"',
});

function parse(line: string, env: Env = {}) {
  return parseArguments(line.split(" "), env, context);
}

/** Settings that differ from the defaults. */
async function settings(line: string, env: Env = {}) {
  const invocation = await parse(line, env);
  assert(invocation.command !== "print");
  const usual = Object.entries({
    ...DEFAULTS,
    cacheDir: "/home/ada/.cache/mcp-run-python",
  }).map((entry) => JSON.stringify(entry));
  return Object.fromEntries(
    Object.entries(invocation.settings)
      .filter((entry) => !usual.includes(JSON.stringify(entry))),
  );
}

async function assertUsage(run: () => Promise<unknown>, message: RegExp) {
  await assertRejects(run, (error) => {
    assert(error instanceof UserError);
    assertEquals(error.exitCode, 2);
    assert(message.test(error.message), error.message);
    return true;
  });
}

Deno.test("parseArguments() gives the defaults to a bare command", async () => {
  assertEquals(await parse("stdio"), {
    command: "stdio",
    settings: {
      ...DEFAULTS,
      cacheDir: "/home/ada/.cache/mcp-run-python",
    },
    warnings: [],
  });
});

Deno.test("parseArguments() takes options before and after the command", async () => {
  const all = {
    dependencies: ["pandas[excel,html]>=2,<4", "numpy", "rich"],
    returnMode: "json",
    structured: "none",
    timeoutSeconds: 0.5,
    maxTimeoutSeconds: 9,
    cpuSeconds: 1.5,
    memoryMiB: 256,
    maxFilesMiB: 30,
    maxOutput: 10,
    indexUrl: "https://index.example/simple",
    cacheDir: "/srv/app/c",
    offline: true,
    logLevel: "debug",
  };
  assertEquals(
    await settings(
      "--deps pandas[excel,html]>=2,<4,numpy --return-mode json --offline " +
        "--no-structured --timeout=.5 stdio --max-timeout 9 --memory 256 " +
        "--max-files-size 30 --cpu-time 1.5 " +
        "--max-output 10 --dependencies rich,numpy --verbose " +
        "--index-url https://index.example/simple --cache-dir c",
    ),
    all,
  );
});

Deno.test("parseArguments() takes every setting from its variable", async () => {
  const prefix = "MCP_RUN_PYTHON_";
  const env = {
    [`${prefix}DEPS`]: "numpy,rich",
    [`${prefix}DEPS_FILE`]: "r.txt",
    [`${prefix}CONSTRAINTS`]: "numpy<3,rich<99",
    [`${prefix}ALLOW_INSTALL`]: "rich",
    [`${prefix}ALLOW_NET`]: "example.com",
    [`${prefix}ENV`]: "A=1",
    [`${prefix}FIND_LINKS`]: "a b",
    [`${prefix}DIST`]: "sub",
    [`${prefix}EXTRA_INDEX_URL`]: " https://a.example  https://b.example ",
    [`${prefix}PYODIDE`]: "wheels",
    [`${prefix}ISOLATION`]: "auto",
    [`${prefix}RETURN_MODE`]: "json",
    [`${prefix}STRUCTURED`]: "0",
    [`${prefix}TIMEOUT`]: "1",
    [`${prefix}MAX_TIMEOUT`]: "2",
    [`${prefix}CPU_TIME`]: "5",
    [`${prefix}MEMORY`]: "128",
    [`${prefix}MAX_FILES_SIZE`]: "6",
    [`${prefix}MAX_OUTPUT`]: "3",
    [`${prefix}INDEX_URL`]: "http://localhost:8080/simple/",
    [`${prefix}CACHE_DIR`]: "/c",
    [`${prefix}OFFLINE`]: "true",
    [`${prefix}LOG_LEVEL`]: "debug",
  };
  assertEquals(await settings("stdio", { [`${prefix}LOCKED`]: "my.lock" }), {
    locked: { path: "/srv/app/my.lock", text: 'lock-version = "1.0"' },
  });
  assertEquals(await settings("stdio", env), {
    dependencies: ["numpy", "rich"],
    constraints: ["numpy<3", "rich<99"],
    allowInstall: ["rich"],
    allowNet: ["example.com"],
    variables: { A: "1" },
    findLinks: ["/srv/app/a b"],
    dist: "/srv/app/sub",
    extraIndexUrls: ["https://a.example/", "https://b.example/"],
    runtimeFolder: "/srv/app/wheels",
    isolation: "auto",
    returnMode: "json",
    structured: "none",
    timeoutSeconds: 1,
    maxTimeoutSeconds: 2,
    cpuSeconds: 5,
    memoryMiB: 128,
    maxFilesMiB: 6,
    maxOutput: 3,
    indexUrl: "http://localhost:8080/simple/",
    cacheDir: "/c",
    offline: true,
    logLevel: "debug",
  });
});

Deno.test("parseArguments() takes the level of logs from the other options of logs", async () => {
  const logFile = "/srv/app/run.log";
  assertEquals(await settings("stdio --log-file run.log"), {
    logFile,
    logLevel: "info",
  });
  assertEquals(
    await settings("stdio --log-file run.log --verbose --log-level warning"),
    { logFile },
  );
  assertEquals(await settings("stdio --verbose"), { logLevel: "debug" });
});

Deno.test("parseArguments() prefers a flag to its variable", async () => {
  const env = {
    MCP_RUN_PYTHON_DEPS: "numpy",
    MCP_RUN_PYTHON_TIMEOUT: "not even a number",
    MCP_RUN_PYTHON_CACHE: "/preferred",
    MCP_RUN_PYTHON_CACHE_DIR: "/also",
  };
  assertEquals(await settings("stdio --deps rich --timeout 5", env), {
    dependencies: ["rich"],
    timeoutSeconds: 5,
    cacheDir: "/preferred",
  });
});

Deno.test("parseArguments() takes an empty variable as not set", async () => {
  const env = { MCP_RUN_PYTHON_TIMEOUT: "", MCP_RUN_PYTHON_OFFLINE: "" };
  assertEquals(await settings("stdio", env), {});
});

Deno.test("parseArguments() takes an empty --deps as none", async () => {
  const env = { MCP_RUN_PYTHON_DEPS: "numpy" };
  assertEquals(await settings("stdio --deps=", env), {});
});

Deno.test("parseArguments() adds what a file of requirements has", async () => {
  assertEquals(await settings("stdio --deps numpy,tqdm --deps-file r.txt"), {
    dependencies: ["numpy", "tqdm", "rich"],
  });
  await assertUsage(
    () => parse("stdio --deps-file none.txt"),
    /^Cannot read the requirements in "\/srv\/app\/none.txt": No such file/,
  );
});

Deno.test("parseArguments() takes URLs and paths of wheels", async () => {
  assertEquals(
    await settings(
      "stdio --deps wheels/x-1.0-py3-none-any.whl[a,b],rich --deps " +
        "https://h.example/y-1-py3-none-any.whl",
    ),
    {
      dependencies: [
        "x[a,b] @ file:///srv/app/wheels/x-1.0-py3-none-any.whl",
        "rich",
        "y @ https://h.example/y-1-py3-none-any.whl",
      ],
    },
  );
  await assertUsage(
    () => parse("stdio --deps rich,./none.whl"),
    /^Cannot read requirement ".\/none.whl": \/srv\/app\/none.whl does not exist/,
  );
});

Deno.test("parseArguments() takes where packages come from", async () => {
  assertEquals(
    await settings(
      "stdio --find-links wheels --extra-index-url https://a.example " +
        "--extra-index-url https://u:p@b.example/simple --dist sub " +
        "--index-url https://u:p@c.example/simple --pyodide wheels " +
        "--find-links sub --find-links ./wheels/",
    ),
    {
      findLinks: ["/srv/app/wheels", "/srv/app/sub"],
      dist: "/srv/app/sub",
      extraIndexUrls: ["https://a.example/", "https://u:p@b.example/simple"],
      indexUrl: "https://u:p@c.example/simple",
      runtimeFolder: "/srv/app/wheels",
    },
  );
  assertEquals(await settings("stdio --dist https://h.example/v1"), {
    dist: "https://h.example/v1",
  });
});

Deno.test("parseArguments() puts the command line before files of requirements", async () => {
  const files = {
    dependencies: [`tqdm==1 --hash=sha256:${"0a".repeat(32)}`],
    constraints: ["numpy<3"],
    findLinks: ["/srv/app/wheels"],
    extraIndexUrls: ["https://more.example/simple"],
    indexUrl: "https://file.example/simple",
  };
  assertEquals(await settings("stdio --deps-file sub/s.txt"), files);
  assertEquals(
    await settings(
      "stdio --deps-file sub/s.txt --deps rich --constraints numpy>1,rich<99 " +
        "--find-links sub --index-url https://line.example " +
        "--extra-index-url https://first.example",
    ),
    {
      dependencies: ["rich", ...files.dependencies],
      constraints: ["numpy>1", "rich<99", ...files.constraints],
      findLinks: ["/srv/app/sub", ...files.findLinks],
      extraIndexUrls: ["https://first.example/", ...files.extraIndexUrls],
      indexUrl: "https://line.example/",
    },
  );
});

Deno.test("parseArguments() refuses a source that is not there", async () => {
  const wrong: Record<string, RegExp> = {
    "--find-links none":
      /^Cannot use "\/srv\/app\/none" for --find-links as it does not exist\.\nSee /,
    "--find-links r.txt": /for --find-links as it is not a folder\./,
    "--find-links https://ada:secret@h.example/wheels":
      /^Cannot use "https:\/\/\*\*\*@h\.example\/wheels" for --find-links as it must be a folder of this machine/,
    "--find-links file:///srv/app/wheels": /and not a URL/,
    "--find-links a,b": /"\/srv\/app\/a,b" as Deno takes a path with a comma/,
    "--dist none": /"\/srv\/app\/none" for --dist as it does not exist/,
    "--dist ftp://h.example": /"ftp:\/\/h\.example" for --dist as it must be/,
    "--dist a,b": /a comma for two/,
    "--pyodide none": /for --pyodide as it does not exist/,
    "--pyodide a,b": /a comma for two/,
    "--pyodide r.txt": /for --pyodide as it is not a folder/,
    "--extra-index-url wheels": /^Cannot use "wheels" for --extra-index-url /,
    "--index-url ada:secret@h.example":
      /^Cannot use "\*\*\*@h\.example" for --index-url as it must be an http/,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(`stdio ${line}`), message);
  }
});

Deno.test("parseArguments() reads a lock file, in place of other packages", async () => {
  const locked = {
    path: "/srv/app/my.lock",
    text: 'lock-version = "1.0"',
  };
  assertEquals(await settings("stdio --locked my.lock"), { locked });
  assertEquals(await settings("stdio --locked my.lock --find-links wheels"), {
    locked,
    findLinks: ["/srv/app/wheels"],
  });
  for (
    const more of ["--deps rich", "--deps-file r.txt", "--constraints rich<2"]
  ) {
    await assertUsage(
      () => parse(`stdio --locked my.lock ${more}`),
      /^Cannot use --locked with other packages or constraints: it installs/,
    );
  }
  await assertUsage(
    () => parse("stdio --locked none.lock"),
    /^Cannot read the lock file "\/srv\/app\/none.lock": No such file .*lock\./,
  );
  await assertUsage(
    () => parse("stdio --locked sub"),
    /sub": Is a directory\. Write/,
  );
});

Deno.test("parseArguments() takes names of packages that a call may install", async () => {
  assertEquals(await settings("stdio --allow-install Rich,a_B.c,rich,"), {
    allowInstall: ["rich", "a-b-c"],
  });
  assertEquals(await settings("stdio --allow-install *"), {
    allowInstall: ["*"],
  });
  for (const names of ["rich>=2", "a[b]", "a@https://h.example", "-a", "r*"]) {
    await assertUsage(
      () => parse(`stdio --allow-install=${names}`),
      /^Cannot use ".*" for --allow-install as it must be names of packages with/,
    );
  }
});

Deno.test("parseArguments() takes hosts that code may reach", async () => {
  assertEquals(
    await settings(
      "stdio --allow-net Example.com,*.b.org:443 --allow-net [::1]",
    ),
    { allowNet: ["example.com", "*.b.org:443", "[::1]"] },
  );
  assertEquals(await settings("stdio --allow-net *"), { allowNet: ["*"] });
  await assertUsage(
    () => parse("stdio --allow-net https://example.com/v1,b.org"),
    /Cannot use "https:\/\/example\.com\/v1,b\.org" for --allow-net .*without a path\. Write example\.com,b\.org instead\./,
  );
  for (const host of ["example.com:0", "a b", "10.0.0.1/8", "2130706433"]) {
    await assertUsage(
      () => parseArguments(["--allow-net", host, "stdio"], {}, context),
      RegExp(
        `Cannot use "${host}" for --allow-net as it must be hosts such as`,
      ),
    );
  }
});

Deno.test("parseArguments() takes variables of runs, and tells no value of one", async () => {
  assertEquals(
    await settings("stdio --env A=1,2=3 --env B= --env C --env A=4", {
      C: "own",
    }),
    { variables: { A: "4", B: "", C: "own" } },
  );
  assertEquals(await settings('stdio --env {"A":"1","B":"x=y\\n"}'), {
    variables: { A: "1", B: "x=y\n" },
  });
  await assertUsage(
    () => parse("stdio --env NONE"),
    /"NONE" .*no such variable/,
  );
  for (
    const text of [
      "1A=secret",
      "=secret",
      "a-b=secret",
      '{"A":secret}',
      '{"a-b":"secret"}',
      "{}=",
    ]
  ) {
    await assertUsage(
      () => parse(`stdio --env ${text}`),
      /^(?!.*secret)Cannot use ".*…}?" for --env as it must be NAME=VALUE/s,
    );
  }
});

Deno.test("parseArguments() reads where to write a lock file", async () => {
  const path = async (line: string) => {
    const invocation = await parse(line);
    assert(invocation.command === "lock");
    return invocation.path;
  };
  assertEquals(await path("lock"), "/srv/app/mcp-run-python.lock");
  assertEquals(await path("lock sub/pylock.toml"), "/srv/app/sub/pylock.toml");
  assertEquals(await path("--deps rich lock /x.lock"), "/x.lock");
  await assertUsage(
    () => parse("lock rich"),
    /^Cannot write the lock file "rich" as .* rich\.lock, or name packages with --deps\.$/m,
  );
  await assertUsage(
    () => parse("lock a b"),
    /^Too many arguments for 'lock'.* got 2: a, b\.$/m,
  );
});

Deno.test("parseArguments() reads the folder of a bundle, and the options that it is to have", async () => {
  const invocation = await parse(
    "--deps rich --offline --max-output 9 --sessions none bundle sub/b --allow-net a.example --allow-net b.example",
    { MCP_RUN_PYTHON_TIMEOUT: "5", MCP_RUN_PYTHON_MOUNT: "wheels" },
  );
  assert(invocation.command === "bundle");
  assertEquals(invocation.folder, "/srv/app/sub/b");
  assertEquals(invocation.settings.dependencies, ["rich"]);
  assertEquals(invocation.given, {
    ...{ "max-output": 9, sessions: "none", timeout: 5 },
    "allow-net": ["a.example", "b.example"],
  });
  await assertUsage(() => parse("bundle"), /without its folder, as in: bundle/);
});

Deno.test("parseArguments() takes folders behind stdio for mounts", async () => {
  const mount = { host: "/srv/app/wheels", guest: "/mnt/wheels" };
  assertEquals(await settings("stdio wheels"), {
    mounts: [{ ...mount, isWritable: false }],
  });
  const all = await settings("--mount sub stdio wheels:rw");
  assertEquals(all.mounts.length, 2);
  assertEquals(all.mounts[1], { ...mount, isWritable: true });
});

Deno.test("parseArguments() reads what to do with the cache", async () => {
  const day = 24 * 60 * 60 * 1000;
  const orders = {
    "dir": { action: "dir" },
    "list": { action: "list" },
    "clean": { action: "clean" },
    "prune": { action: "prune", olderThanMs: undefined },
    "prune 30d": { action: "prune", olderThanMs: 30 * day },
    "prune 90m": { action: "prune", olderThanMs: day / 16 },
    "remove 0a 1b": { action: "remove", ids: ["0a", "1b"] },
  };
  for (const [line, order] of Object.entries(orders)) {
    const invocation = await parse(`cache ${line}`);
    assert(invocation.command === "cache");
    assertEquals<unknown>(invocation.order, order);
  }
  await assertUsage(
    () => parse("cache"),
    /^Cannot use cache without an action: dir, list, prune, remove or clean\./,
  );
  await assertUsage(
    () => parse("cache prnue"),
    /^Cannot use "prnue" for cache as .* Did you mean prune\?/,
  );
  const wrong: Record<string, RegExp> = {
    "dir list": /^Cannot use cache dir with "list": it takes no more words\./,
    "remove": /^Cannot remove an environment without its id: cache list shows/,
    "list 1d": /^Cannot use cache list with "1d": it takes no more words\./,
    "prune 30": /^Cannot use "30" for cache prune .* an age such as 12h, 30d/,
    "prune 1y": /^Cannot use "1y" for cache prune as it must be /,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(`cache ${line}`), message);
  }
});

Deno.test("parseArguments() takes --dry-run with install only", async () => {
  for (const line of ["install", "install --dry-run"]) {
    const invocation = await parse(line);
    assert(invocation.command === "install");
    assertEquals(invocation.dryRun, line !== "install");
  }
  await assertUsage(
    () => parse("lock --dry-run"),
    /^Cannot use --dry-run with lock as only install takes it\./,
  );
});

Deno.test("parseArguments() keeps the timeout within the longest one", async () => {
  assertEquals(await settings("stdio --timeout 900"), {
    timeoutSeconds: 900,
    maxTimeoutSeconds: 900,
  });
  assertEquals(await settings("stdio --max-timeout 30"), {
    timeoutSeconds: 30,
    maxTimeoutSeconds: 30,
  });
  await assertUsage(
    () => parse("stdio --timeout 9", { MCP_RUN_PYTHON_MAX_TIMEOUT: "8" }),
    /^Cannot use a timeout of 9 seconds as .* --max-timeout, is 8\./,
  );
});

Deno.test("parseArguments() reads where the code of run comes from", async () => {
  const source = async (...argv: string[]) => {
    const invocation = await parseArguments(["run", ...argv], {}, context);
    assert(invocation.command === "run");
    return invocation.source;
  };
  assertEquals(await source("a.py"), { kind: "file", path: "/srv/app/a.py" });
  assertEquals(await source("--", "-a.py"), {
    kind: "file",
    path: "/srv/app/-a.py",
  });
  assertEquals(await source("-"), { kind: "stdin" });
  assertEquals(await source("-c", "print(1)"), {
    kind: "code",
    code: "print(1)",
  });
  assertEquals(await source("--code=--x"), { kind: "code", code: "--x" });
  assertEquals(await source("-c", "--offline"), {
    kind: "code",
    code: "--offline",
  });
  assertEquals(await source("-c", ""), { kind: "code", code: "" });

  await assertUsage(() => source(), /^Cannot run without code: /);
  await assertUsage(() => source(""), /^Cannot use "" for FILE /);
  await assertUsage(
    () => parse("stdio -c 1"),
    /^Cannot use --code with stdio /,
  );
});

Deno.test("parseArguments() leaves what follows the code of run to the code", async () => {
  const lines: [own: string[], ...args: string[]][] = [
    [["run", "a.py"], "--timeout", "5", "b.py"],
    [["--timeout", "5", "run", "--offline", "-"], "-c", "--", "--help"],
    [["run", "-c", "run"], "a", "-b"],
    [["run", "--code=1"], "a"],
    [["run", "-c1"], "-c"],
    [["-c", "1", "run"], "a.py"],
    [["--config", "run.toml", "run", "--deps=run", "--", "a.py"], "--", ""],
    [["run", "a.py"]],
  ];
  const read = { ...context, readTextFile: () => "" };
  for (const [own, ...args] of lines) {
    for (const line of [[...own, ...args], [...own, "--", ...args]]) {
      const invocation = await parseArguments(line, {}, read);
      assert(invocation.command === "run");
      // A single -- is optional.
      const isOwn = line.length === own.length + args.length;
      const expected = isOwn && args[0] === "--" ? args.slice(1) : args;
      assertEquals(invocation.args, expected, line.join(" "));
    }
  }
});

Deno.test("parseArguments() names a wrong word and the nearest right one", async () => {
  const wrong: Record<string, RegExp> = {
    "stdoi": /^Unknown command 'stdoi'\. Did you mean stdio\?\nSee .*--help/,
    "http": /^Unknown command 'http'\. Use streamable-http\./,
    "sse": /^Unknown command 'sse'\. Use streamable-http\./,
    "prune": /^Unknown command 'prune'\. Use cache prune\./,
    "constructor": /^Unknown command 'constructor'\. Use stdio or/,
    "help http": /^Cannot help with "http" .* option\. Use streamable-http\./,
    "stdio --tiemout 3": /^Unknown option '--tiemout'\. Did .* --timeout\?/,
    "--tiemout=3 stdio": /^Unknown option '--tiemout=3'\. Did .* --timeout\?/,
    "stdio --dep numpy": /^Unknown option '--dep'\. Did .* --deps\?/,
    "stdio -deps numpy": /^Unknown option '-deps'\. Did .* --deps\?/,
    "stdio --hlep": /^Unknown option '--hlep'\. Did .* --help\?/,
    "stdio --frobnicate": /^Unknown option '--frobnicate'\.\nSee /,
    "--disable-networking stdio":
      /^Unknown option '--disable-networking'\. Leave it out: .* --allow-net /,
    "stdio --allow-networking":
      /^Unknown option '--allow-networking'\. Use --allow-net "\*" /,
    "stdio --isolation bwrp":
      /^Cannot use "bwrp" for --isolation .* none, auto or bwrap\. Did .* bwrap\?/,
    "stdio --return-mode jsn":
      /^Cannot use "jsn" for --return-mode .* xml, json, .*\. Did .* json\?/,
    "repl extra": /^Too many arguments for 'repl'\..* got 1: extra\./,
    "stdio extra": /^Cannot mount "extra" as .* does not exist/,
    "install rich":
      /^Too many .* got 1: rich\. Name packages with --deps, as in: --deps rich install\.$/m,
    "stdio --deps": /^Cannot use --deps without its value: --deps <list>\./,
    "--verbose": /^Cannot start without a command: use stdio, /,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(line), message);
  }
  await assertUsage(() => parseArguments([], {}, context), /without a command/);
});

Deno.test("parseArguments() refuses a value outside its limits", async () => {
  const wrong = [
    ...["0", "-1", "1e3", "abc", "", "Infinity", "86401"].map((text) =>
      `--timeout=${text}`
    ),
    ...["0", "-1", "86401"].map((text) => `--cpu-time=${text}`),
    ...["0", "-1", "4097", "1.5"].map((text) => `--max-files-size=${text}`),
    ...["127", "4097", "512.5", "1GiB"].map((text) => `--memory=${text}`),
    ...["0", "-5", "1.5", "400001"].map((text) => `--max-output=${text}`),
    "--index-url=index.example",
    "--index-url=file:///simple",
    "--index-url=",
    "--cache-dir=",
    "--cache-dir=--offline",
    "--deps=--offline",
    "--deps=num\0py",
    "--cache-dir=a\0b",
  ];
  for (const option of wrong) {
    await assertUsage(
      () => parse(`stdio ${option}`),
      /^Cannot use ".*" for --/,
    );
  }
});

Deno.test("parseArguments() names the variable that has a bad value", async () => {
  const bad = {
    MCP_RUN_PYTHON_OFFLINE: "yes",
    MCP_RUN_PYTHON_CACHE_DIR: "a\0b",
    MCP_RUN_PYTHON_MEMORY: "1",
  };
  for (const [name, value] of Object.entries(bad)) {
    await assertUsage(
      () => parse("stdio", { [name]: value }),
      RegExp(`^Cannot use ".*" for ${name} as it must be `),
    );
  }
});

Deno.test("parseArguments() has repl keep lines in the user's folder, and gives code a day", async () => {
  const order = async (line: string, env: Env = {}) => {
    const invocation = await parse(line, env);
    assert(invocation.command === "repl");
    const { history, out, settings: { timeoutSeconds } } = invocation;
    return { history, out, timeoutSeconds };
  };
  const history = "/home/ada/.local/state/mcp-run-python/history";
  const usual = { history, out: undefined, timeoutSeconds: 86_400 };
  assertEquals(await order("repl"), usual);
  assertEquals(await order("repl --timeout 5 --out o"), {
    ...{ history, out: "/srv/app/o", timeoutSeconds: 5 },
  });
  const state = { XDG_STATE_HOME: "/var/s" };
  assertEquals(
    (await order("repl", state)).history,
    "/var/s/mcp-run-python/history",
  );
  const none = { ...usual, history: undefined };
  assertEquals(await order("repl", { MCP_RUN_PYTHON_HISTORY: "0" }), none);
  await assertUsage(() => parse("repl file.py"), /Expected 0 arguments/i);
});

Deno.test("parseArguments() warns of a variable that it does not know", async () => {
  const invocation = await parse("run -", {
    MCP_RUN_PYTHON_TIMOUT: "3",
    MCP_RUN_PYTHON_FROBNICATE: "1",
    // Tokens have no flag, as other users see the flags of a process.
    MCP_RUN_PYTHON_TOKEN: "ada:0123456789abcdef",
    MCP_RUN_PYTHON_DENO: "/usr/bin/deno",
    PATH: "/bin",
  });
  assert(invocation.command === "run");
  assertEquals(invocation.warnings, [
    "Ignoring MCP_RUN_PYTHON_TIMOUT as no option has this variable. " +
    "Did you mean MCP_RUN_PYTHON_TIMEOUT?",
    "Ignoring MCP_RUN_PYTHON_FROBNICATE as no option has this variable.",
  ]);
});

Deno.test("parseArguments() adds MCP_SERVERS_CONFIG behind the files of --mcp-config", async () => {
  const env = { MCP_SERVERS_CONFIG: "sub/mcp.json" };
  assertEquals(await settings("stdio --mcp-config a.json", env), {
    mcpConfig: ["/srv/app/a.json", "/srv/app/sub/mcp.json"],
    codeMode: true,
    returnMode: "compact",
    ...{ stateDir: "/home/ada/.local/state/mcp-run-python/kept" },
    ...{ isUsualStateDir: true, timeoutSeconds: 30, maxTimeoutSeconds: 120 },
  });
  const alone = await settings("stdio", env);
  assertEquals([alone.codeMode, alone.mcpConfig], [
    true,
    ["/srv/app/sub/mcp.json"],
  ]);
  const again = await settings("stdio --mcp-config sub/mcp.json", env);
  assertEquals(again.mcpConfig, ["/srv/app/sub/mcp.json"]);
  assertEquals(await settings("run -c 1", env), {});
  const alias = { MCP_BRIDGE_SERVERS_CONFIG: "/m.json" };
  assertEquals((await settings("doctor", alias)).mcpConfig, ["/m.json"]);
});

Deno.test("parseArguments() reads the predecessor's variables in code mode, and only there", async () => {
  const env = {
    MCP_BRIDGE_TIMEOUT: "20",
    MCP_BRIDGE_MAX_TIMEOUT: "90",
    MCP_BRIDGE_MEMORY: "512m",
    MCP_BRIDGE_STATE_DIR: "state",
    MCP_BRIDGE_LOG_LEVEL: "INFO",
    MCP_BRIDGE_ALLOW_SELF_SERVER: "yes",
    MCP_BRIDGE_OUTPUT_MODE: "TOON",
  };
  assertEquals(await settings("stdio --code-mode", env), {
    ...{ timeoutSeconds: 20, maxTimeoutSeconds: 90, memoryMiB: 512 },
    ...{ stateDir: "/srv/app/state", logLevel: "info", returnMode: "toon" },
    ...{ allowSelfServer: true, codeMode: true },
  });
  assertEquals(await settings("stdio", env), {});
  assertEquals(await settings("run -c 1", env), {});
  const bundle = await parse("bundle b", env);
  assert(bundle.command === "bundle");
  assertEquals(bundle.given, {});
  const flags = "stdio --code-mode --memory 256 --timeout 5";
  const given = await settings(flags, env);
  assertEquals([given.memoryMiB, given.timeoutSeconds], [256, 5]);
});

Deno.test("parseArguments() takes the forms of results that a command has", async () => {
  const mode = async (line: string) => (await settings(line)).returnMode;
  assertEquals(await mode("run --return-mode json -c 1"), "json");
  assertEquals(await mode("--return-mode value run -c 1"), "value");
  assertEquals(await mode("stdio --return-mode json --code-mode"), "json");
  assertEquals(await mode("stdio --code-mode"), "compact");
  const wrong: Record<string, RegExp> = {
    "stdio --return-mode toon":
      /^Cannot use --return-mode toon with stdio as its results are xml or json\./,
    "stdio --code-mode --return-mode value":
      /with code mode as its results are compact, json or toon\./,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(line), message);
  }
});

Deno.test("parseArguments() takes the files of other programs for servers", async () => {
  const { discover, mcpConfig } = await settings(
    "stdio --mcp-config discover --mcp-config a.json",
  );
  assertEquals([discover, mcpConfig], [true, ["/srv/app/a.json"]]);
});

Deno.test("parseArguments() reads the predecessor's sizes of memory", async () => {
  const sizes: Record<string, number> = {
    ...{ "512": 512, "512M": 512, "2g": 2048, "1.5g": 1536, "3Gi": 3072 },
    ...{ "524288k": 512, "300MB": 300 },
  };
  for (const [text, memoryMiB] of Object.entries(sizes)) {
    const env = { MCP_BRIDGE_MEMORY: text };
    const read = await settings("stdio --code-mode", env);
    assertEquals(read.memoryMiB, memoryMiB, text);
  }
});

Deno.test("parseArguments() names a variable of the predecessor whose value is wrong", async () => {
  const wrong: Record<string, RegExp> = {
    MCP_BRIDGE_MEMORY: /"much" for MCP_BRIDGE_MEMORY as it must be a whole/,
    MCP_BRIDGE_TIMEOUT: /"much" for MCP_BRIDGE_TIMEOUT as it must be a number/,
    MCP_BRIDGE_LOG_LEVEL: /"much" for MCP_BRIDGE_LOG_LEVEL as it must be error/,
    MCP_BRIDGE_OUTPUT_MODE: /"much" for MCP_BRIDGE_OUTPUT_MODE as it must be x/,
  };
  for (const [name, message] of Object.entries(wrong)) {
    await assertUsage(
      () => parse("stdio --code-mode", { [name]: "much" }),
      message,
    );
  }
});

Deno.test("parseArguments() lists the predecessor's other variables in a line of code mode", async () => {
  const env = {
    MCP_BRIDGE_RUNTIME: "podman",
    MCP_BRIDGE_CPUS: "2",
    MCP_BRIDGE_TIMEOUT: "20",
    MCP_BRIDGE_SERVERS_CONFIG: "/m.json",
  };
  const invocation = await parse("stdio --code-mode", env);
  assert(invocation.command === "stdio");
  assertEquals(invocation.warnings, [
    "Ignoring MCP_BRIDGE_CPUS, MCP_BRIDGE_RUNTIME: there are no containers here.",
  ]);
  const run = await parse("run -c 1", env);
  assert(run.command === "run");
  assertEquals(run.warnings, []);
});

Deno.test("parseArguments() reads the actions of servers", async () => {
  const order = async (line: string) => {
    const invocation = await parse(line);
    assert(invocation.command === "servers");
    const { action, words, json } = invocation;
    return { action, words, json };
  };
  assertEquals(await order("servers list --json"), {
    ...{ action: "list", words: [], json: true },
  });
  assertEquals(await order("servers search create issue"), {
    ...{ action: "search", words: ["create", "issue"], json: false },
  });
  assertEquals(await order("servers test"), {
    ...{ action: "test", words: [], json: false },
  });
  const wrong: Record<string, RegExp> = {
    "servers": /without an action: list, search, test or docs/,
    "servers lsit": /"lsit".* Did you mean list\?/,
    "servers list git": /with "git": it takes no more words/,
    "servers search": /without words, as in: servers search/,
    "servers docs": /without a server, as in: servers docs/,
    "servers docs a b c": /more than a server and a tool/,
    "servers test --json": /--json as only servers list takes it/,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(line), message);
  }
});

Deno.test("parseArguments() takes the path that links of a cache or a Pyodide lead to", async () => {
  const disk = {
    ...context,
    isFolder: () => true,
    realPath: (path: string) => path === "/link" ? "/disk" : undefined,
  };
  const line = "stdio --cache-dir /link/new/cache --pyodide /link";
  const invocation = await parseArguments(line.split(" "), {}, disk);
  assert(invocation.command === "stdio");
  const { cacheDir, runtimeFolder } = invocation.settings;
  assertEquals([cacheDir, runtimeFolder], ["/disk/new/cache", "/disk"]);
});

Deno.test("parseArguments() prints the version", async () => {
  const version = { command: "print", text: "1.2.3" };
  assertEquals(await parse("--version"), version);
  assertEquals(await parse("-V"), version);
  assertEquals(await parse("stdio --version"), version);
});

/** The text of a help in 80 columns, and its headings. */
async function help(line: string) {
  const printed = await parse(line);
  assert(printed.command === "print");
  const { text } = printed;
  assertEquals(text.split("\n").filter((line) => line.length > 80), []);
  const flags = text.match(/^ +(-\w, )?--[\w-]+/gm)?.map((flag) => flag.trim());
  return {
    text,
    flags,
    headings: text.match(/^[A-Z].*(?=:$)/gm)?.join(", "),
  };
}

Deno.test("parseArguments() prints the usual options, and every one in help all", async () => {
  const usual = await help("--help");
  assertEquals(usual.headings, "Commands, Options that people use, Examples");
  assertEquals(usual.flags, [
    ...["--deps", "--allow-install", "--timeout", "--memory", "--mount"],
    ...["--allow-net", "--mcp-config", "--deps-file"],
    ...["-V, --version", "-h, --help"],
  ]);
  assert(usual.text.split("\n").length <= 51);
  for (const line of ["-h", "help", "--help help", "--frob --help"]) {
    assertEquals(await help(line), usual);
  }
  const all = await help("help all");
  assertEquals(
    all.headings,
    "Commands, Packages, Sources, in their order, Limits, Results, Sessions, HTTP, Files, Cache and network, Grants, Code mode, Components, Logs, Other, Examples",
  );
  // Beside them stand --version, --help and --verbose.
  assertEquals(all.flags?.length, OPTIONS.length + 3);
  assert(OPTIONS.length <= 73);
  assertEquals(await help("--help all"), all);
});

Deno.test("parseArguments() prints the options of a command", async () => {
  const cache = await help("help cache");
  assertEquals(cache.flags, [
    "--session-store",
    "--cache-dir",
    "--log-level",
    "--verbose",
    "--config",
    "-V, --version",
    "-h, --help",
  ]);
  assertMatch(
    cache.text,
    /\nActions:\n {2}dir .*\n {2}list .*\n {2}prune .*\n {2}remove id/,
  );
  const servers = await help("help servers");
  assertMatch(
    servers.text,
    /\nActions:\n {2}list .*\n {2}test .*\n {2}search .*\n {2}docs /,
  );
  assert(servers.flags?.includes("--mcp-config"));
  assertEquals(await help("cache --help"), cache);
  assertEquals(await help("--help cache list"), cache);
  const { flags = [], text } = await help("run --help");
  assert(flags.includes("-c, --code") && !flags.includes("--dry-run"));
  assertMatch(
    text,
    /^Usage: mcp-run-python \[options\] run \[file\] \[args\.\.\.\]\n\nRun a /,
  );
  await assertUsage(() => parse("help lokc"), /"lokc" .* Did you mean lock\?/);
});

Deno.test("parseArguments() refuses an option that the command does not use", async () => {
  const wrong: Record<string, RegExp> = {
    "cache list --deps rich":
      /^Cannot use --deps with cache as only stdio, streamable-http, streamable-http-stateless, example, install, lock, bundle, run, repl, pipe and doctor take it\./,
    "--timeout 5 install": /^Cannot use --timeout with install as only stdio,/,
    "run --error-results -":
      /with run as only stdio, streamable-http, streamable-http-stateless, example, pipe, doctor and bundle take it/,
    "--mount wheels bundle b": /^Cannot use --mount with bundle as only stdio,/,
    "--env A=1 bundle b": /^Cannot use --env with bundle as only stdio,/,
    "stdio -c 1": /^Cannot use --code with stdio as only run takes it\./,
  };
  for (const [line, message] of Object.entries(wrong)) {
    await assertUsage(() => parse(line), message);
  }
  // A variable is for all commands.
  const env = { MCP_RUN_PYTHON_MEMORY: "wrong" };
  const invocation = await parse("cache list", env);
  assert(invocation.command === "cache");
  assertEquals(invocation.settings.memoryMiB, DEFAULTS.memoryMiB);
});

Deno.test("parseArguments() lets debuggers reach a sandbox without a second wall", async () => {
  const env = { MCP_RUN_PYTHON_INSPECT: "sandbox" };
  assertEquals(await settings("stdio", env), {
    inspect: "sandbox",
  });
  await assertUsage(
    () => parse("stdio --isolation auto", env),
    /^Cannot inspect a sandbox with --isolation auto as /,
  );
  await assertUsage(
    () => parse("stdio", { MCP_RUN_PYTHON_INSPECT: "worker" }),
    /^Cannot use "worker" for MCP_RUN_PYTHON_INSPECT as it must be server or sandbox\./,
  );
});

Deno.test("parseArguments() takes engines, and names the one that is unknown", async () => {
  const { name } = ENGINE.profile;
  const of = { MCP_RUN_PYTHON_ENGINE: name };
  const unknown = { MCP_RUN_PYTHON_ENGINE: "x" };
  assertEquals(await settings(`stdio --engine ${name}`), {});
  assertEquals(await settings("stdio", of), {});
  // It installs packages, which one engine has.
  assertEquals(await settings("install", unknown), {});
  await assertUsage(
    () => parse("stdio", unknown),
    /^Cannot use "x" for --engine as it must be one of /,
  );
  const twice = `stdio --engine ${name} --engine ${name}`;
  await assertUsage(() => parse(twice), /twice for --engine/);
});
