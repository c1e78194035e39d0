import { assert, assertEquals, assertThrows } from "../../deps/assert.ts";
import { UserError } from "../errors.ts";
import { DEFAULTS } from "../settings.ts";
import { type Env, parseArguments, type Places } from "./arguments.ts";

const places: Places = {
  version: "1.2.3",
  cwd: "/srv/app",
  home: "/home/ada",
  os: "linux",
  exists: () => false,
  readTextFile(path) {
    if (path === "/srv/app/r.txt") return "rich\nnumpy\n";
    throw new Deno.errors.NotFound(`No such file: ${path}`);
  },
};

function parse(line: string, env: Env = {}) {
  return parseArguments(line.split(" "), env, places);
}

const NOTHING = {
  dependencies: [],
  constraints: [],
  findLinks: [],
  extraIndexUrls: [],
  allowInstall: [],
};

/** What is not as it is by default. */
function settings(line: string, env: Env = {}) {
  const invocation = parse(line, env);
  assert(invocation.command !== "print");
  const usual = Object.entries({
    ...DEFAULTS,
    ...NOTHING,
    cacheDir: "/home/ada/.cache/mcp-run-python",
  }).map((entry) => JSON.stringify(entry));
  return Object.fromEntries(
    Object.entries(invocation.settings)
      .filter((entry) => !usual.includes(JSON.stringify(entry))),
  );
}

function assertUsage(run: () => unknown, message: RegExp) {
  assertThrows(run, (error) => {
    assert(error instanceof UserError);
    assertEquals(error.exitCode, 2);
    assert(message.test(error.message), error.message);
    return true;
  });
}

Deno.test("parseArguments() gives the defaults to a bare command", () => {
  assertEquals(parse("stdio"), {
    command: "stdio",
    settings: {
      ...DEFAULTS,
      ...NOTHING,
      cacheDir: "/home/ada/.cache/mcp-run-python",
    },
    warnings: [],
  });
});

Deno.test("parseArguments() takes options before and after the command", () => {
  const all = {
    dependencies: ["pandas[excel,html]>=2,<4", "numpy", "rich"],
    returnMode: "json",
    structured: false,
    timeoutSeconds: 0.5,
    maxTimeoutSeconds: 9,
    memoryMiB: 256,
    maxOutput: 10,
    maxCode: 20,
    indexUrl: "https://index.example/simple",
    cacheDir: "/srv/app/c",
    offline: true,
    verbose: true,
  };
  assertEquals(
    settings(
      "--deps pandas[excel,html]>=2,<4,numpy --return-mode json --offline " +
        "--no-structured --timeout=.5 install --max-timeout 9 --memory 256 " +
        "--max-output 10 --max-code=20 --dependencies rich,numpy --verbose " +
        "--index-url https://index.example/simple --cache-dir c",
    ),
    all,
  );
});

Deno.test("parseArguments() takes every setting from its variable", () => {
  const prefix = "MCP_RUN_PYTHON_";
  const env = {
    [`${prefix}DEPS`]: "numpy,rich",
    [`${prefix}DEPS_FILE`]: "r.txt",
    [`${prefix}RETURN_MODE`]: "json",
    [`${prefix}STRUCTURED`]: "0",
    [`${prefix}TIMEOUT`]: "1",
    [`${prefix}MAX_TIMEOUT`]: "2",
    [`${prefix}MEMORY`]: "128",
    [`${prefix}MAX_OUTPUT`]: "3",
    [`${prefix}MAX_CODE`]: "4",
    [`${prefix}INDEX_URL`]: "http://localhost:8080/simple/",
    [`${prefix}CACHE_DIR`]: "/c",
    [`${prefix}OFFLINE`]: "true",
    [`${prefix}VERBOSE`]: "1",
  };
  assertEquals(settings("stdio", env), {
    dependencies: ["numpy", "rich"],
    returnMode: "json",
    structured: false,
    timeoutSeconds: 1,
    maxTimeoutSeconds: 2,
    memoryMiB: 128,
    maxOutput: 3,
    maxCode: 4,
    indexUrl: "http://localhost:8080/simple/",
    cacheDir: "/c",
    offline: true,
    verbose: true,
  });
});

Deno.test("parseArguments() prefers a flag to its variable", () => {
  const env = {
    MCP_RUN_PYTHON_DEPS: "numpy",
    MCP_RUN_PYTHON_TIMEOUT: "not even a number",
    MCP_RUN_PYTHON_CACHE: "/preferred",
    MCP_RUN_PYTHON_CACHE_DIR: "/also",
  };
  assertEquals(settings("stdio --deps rich --timeout 5", env), {
    dependencies: ["rich"],
    timeoutSeconds: 5,
    cacheDir: "/preferred",
  });
});

Deno.test("parseArguments() takes an empty variable as not set", () => {
  const env = { MCP_RUN_PYTHON_TIMEOUT: "", MCP_RUN_PYTHON_OFFLINE: "" };
  assertEquals(settings("stdio", env), {});
});

Deno.test("parseArguments() takes an empty --deps as none", () => {
  const env = { MCP_RUN_PYTHON_DEPS: "numpy" };
  assertEquals(settings("stdio --deps=", env), {});
});

Deno.test("parseArguments() adds what a file of requirements has", () => {
  assertEquals(settings("stdio --deps numpy,tqdm --deps-file r.txt"), {
    dependencies: ["numpy", "tqdm", "rich"],
  });
  assertUsage(
    () => parse("stdio --deps-file none.txt"),
    /^Cannot read the requirements in "\/srv\/app\/none.txt": No such file/,
  );
});

Deno.test("parseArguments() keeps the timeout within the longest one", () => {
  assertEquals(settings("stdio --timeout 900"), {
    timeoutSeconds: 900,
    maxTimeoutSeconds: 900,
  });
  assertEquals(settings("stdio --max-timeout 30"), {
    timeoutSeconds: 30,
    maxTimeoutSeconds: 30,
  });
  assertUsage(
    () => parse("stdio --timeout 9", { MCP_RUN_PYTHON_MAX_TIMEOUT: "8" }),
    /^Cannot use a timeout of 9 seconds as .* --max-timeout, is 8\./,
  );
});

Deno.test("parseArguments() reads where the code of run comes from", () => {
  const source = (...argv: string[]) => {
    const invocation = parseArguments(["run", ...argv], {}, places);
    assert(invocation.command === "run");
    return invocation.source;
  };
  assertEquals(source("a.py"), { kind: "file", path: "/srv/app/a.py" });
  assertEquals(source("--", "-a.py"), { kind: "file", path: "/srv/app/-a.py" });
  assertEquals(source("-"), { kind: "stdin" });
  assertEquals(source("-c", "print(1)"), { kind: "code", code: "print(1)" });
  assertEquals(source("--code=--x"), { kind: "code", code: "--x" });
  assertEquals(source("-c", "--offline"), { kind: "code", code: "--offline" });
  assertEquals(source("-c", ""), { kind: "code", code: "" });

  assertUsage(() => source(), /^Cannot run without code: /);
  assertUsage(() => source("a.py", "-c", "1"), /^Cannot run both "a.py" and /);
  assertUsage(
    () => source("a.py", "b.py"),
    /^Too many arguments .* a.py, b.py/,
  );
  assertUsage(() => source(""), /^Cannot use "" for FILE /);
  assertUsage(() => parse("stdio -c 1"), /^Cannot use --code with stdio /);
});

Deno.test("parseArguments() names a wrong word and the nearest right one", () => {
  const wrong: Record<string, RegExp> = {
    "stdoi": /^Unknown command 'stdoi'\. Did you mean stdio\?\nSee .*--help/,
    "stdio --tiemout 3": /^Unknown option '--tiemout'\. Did .* --timeout\?/,
    "--tiemout=3 stdio": /^Unknown option '--tiemout=3'\. Did .* --timeout\?/,
    "stdio --dep numpy": /^Unknown option '--dep'\. Did .* --deps\?/,
    "stdio -deps numpy": /^Unknown option '-deps'\. Did .* --deps\?/,
    "stdio --hlep": /^Unknown option '--hlep'\. Did .* --help\?/,
    "stdio --frobnicate": /^Unknown option '--frobnicate'\.\nSee /,
    "stdio --return-mode jsn":
      /^Cannot use "jsn" for --return-mode .* xml or json\. Did .* json\?/,
    "stdio extra": /^Too many arguments for 'stdio'\..* got 1: extra\./,
    "stdio --deps": /^Option '--deps, --dependencies <list>' argument missing/,
    "--verbose": /^Cannot start without a command: use stdio, /,
  };
  for (const [line, message] of Object.entries(wrong)) {
    assertUsage(() => parse(line), message);
  }
  assertUsage(() => parseArguments([], {}, places), /without a command/);
});

Deno.test("parseArguments() refuses a value outside its limits", () => {
  const wrong = [
    ...["0", "-1", "1e3", "abc", "", "Infinity", "86401"].map((text) =>
      `--timeout=${text}`
    ),
    ...["127", "4097", "512.5", "1GiB"].map((text) => `--memory=${text}`),
    ...["0", "-5", "1.5"].map((text) => `--max-output=${text}`),
    "--max-code=0",
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
    assertUsage(() => parse(`stdio ${option}`), /^Cannot use ".*" for --/);
  }
});

Deno.test("parseArguments() names the variable that has a bad value", () => {
  const bad = {
    MCP_RUN_PYTHON_OFFLINE: "yes",
    MCP_RUN_PYTHON_CACHE_DIR: "a\0b",
    MCP_RUN_PYTHON_MEMORY: "1",
  };
  for (const [name, value] of Object.entries(bad)) {
    assertUsage(
      () => parse("stdio", { [name]: value }),
      RegExp(`^Cannot use ".*" for ${name} as it must be `),
    );
  }
});

Deno.test("parseArguments() warns of a variable that it does not know", () => {
  const invocation = parse("run -", {
    MCP_RUN_PYTHON_TIMOUT: "3",
    MCP_RUN_PYTHON_FROBNICATE: "1",
    PATH: "/bin",
  });
  assert(invocation.command === "run");
  assertEquals(invocation.warnings, [
    "Ignoring MCP_RUN_PYTHON_TIMOUT as no option has this variable. " +
    "Did you mean MCP_RUN_PYTHON_TIMEOUT?",
    "Ignoring MCP_RUN_PYTHON_FROBNICATE as no option has this variable.",
  ]);
});

Deno.test("parseArguments() prints the version", () => {
  const version = { command: "print", text: "1.2.3", exitCode: 0 };
  assertEquals(parse("--version"), version);
  assertEquals(parse("stdio --version"), version);
});

Deno.test("parseArguments() prints one help in 80 columns for all commands", () => {
  const help = parse("--help");
  assert(help.command === "print");
  assertEquals(help.exitCode, 0);
  assertEquals(help.text.split("\n").filter((line) => line.length > 80), []);
  const groups = help.text.match(/^[A-Z].*(?=:$)/gm)?.join(", ");
  assertEquals(
    groups,
    "Packages, Limits, Results, Cache and network, Other, Commands, Examples",
  );
  assertEquals(parse("run --help"), help);
  assertEquals(parse("-h"), help);
});
