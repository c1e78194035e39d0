import { assert, assertEquals, assertRejects } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { UserError } from "../errors.ts";
import { DEFAULTS, type Settings } from "../settings.ts";
import { parseArguments } from "./arguments.ts";
import type { Env } from "./context.ts";

const FOLDER = {
  "/etc/py/wheels/x-1.0-py3-none-any.whl": "",
  "/etc/py/data/x": "",
  "/etc/py/r.txt": "tqdm",
  "/etc/py/my.lock": "lock",
};

/** Settings of a file of options that are not the defaults. */
async function read(
  toml: string,
  { line = [], env = {}, file = "/etc/py/c.toml" }: {
    line?: string[];
    env?: Env;
    file?: string;
  } = {},
): Promise<Partial<Settings>> {
  const context = machine({ ...FOLDER, [file]: toml });
  const argv = ["stdio", "--config", file, ...line];
  const invocation = await parseArguments(argv, env, context);
  assert(invocation.command === "stdio");
  const usual = { ...DEFAULTS, cacheDir: "/home/ada/.cache/mcp-run-python" };
  const texts = Object.entries(usual).map((entry) => JSON.stringify(entry));
  return Object.fromEntries(
    Object.entries(invocation.settings)
      .filter((entry) => !texts.includes(JSON.stringify(entry))),
  );
}

Deno.test("a file of options sets options under the names of their flags", async () => {
  assertEquals(
    await read(`
      deps = ["numpy", "pandas>=2,<4"]
      dependencies = "rich"
      allow-install = ["Rich"]
      timeout = 0.5
      max-timeout = 9
      memory = "256"
      structured = false
      file-tools = true
      return-mode = "json"
      offline = true
      allow-net = ["example.com:443", "b.org"]
      extra-index-url = ["https://a.example", "https://b.example"]
      index-url = "https://ada:secret@c.example/simple"
      [env]
      A = "1"
      B = "x=y"
    `),
    {
      dependencies: ["numpy", "pandas>=2,<4", "rich"],
      allowInstall: ["rich"],
      timeoutSeconds: 0.5,
      maxTimeoutSeconds: 9,
      memoryMiB: 256,
      structured: "none",
      ...{ fileTools: true },
      returnMode: "json",
      offline: true,
      allowNet: ["example.com:443", "b.org"],
      extraIndexUrls: ["https://a.example/", "https://b.example/"],
      indexUrl: "https://ada:secret@c.example/simple",
      variables: { A: "1", B: "x=y" },
    },
  );
  assertEquals(await read('env = ["A=1", "C"]', { env: { C: "own" } }), {
    variables: { A: "1", C: "own" },
  });
});

Deno.test("a file of options weighs less than a variable, which weighs less than a flag", async () => {
  const toml =
    'timeout = 5\nmemory = 128\ndeps = ["numpy"]\nmax-sessions-memory = 256';
  const env = {
    MCP_RUN_PYTHON_MEMORY: "256",
    MCP_RUN_PYTHON_TIMEOUT: "6",
  };
  assertEquals(await read(toml, { env, line: ["--timeout", "7"] }), {
    timeoutSeconds: 7,
    memoryMiB: 256,
    dependencies: ["numpy"],
    maxSessionsMiB: 256,
  });
  // An empty list is a list.
  assertEquals(await read(toml, { line: ["--deps="] }), {
    timeoutSeconds: 5,
    memoryMiB: 128,
    maxSessionsMiB: 256,
  });
});

Deno.test("paths in a file of options start at its folder", async () => {
  assertEquals(
    await read(`
      deps = ["./wheels/x-1.0-py3-none-any.whl"]
      deps-file = "r.txt"
      find-links = ["wheels"]
      dist = "wheels"
      pyodide = "./wheels"
      cache-dir = "../cache"
      mount = ["data:rw"]
    `),
    {
      dependencies: [
        "x @ file:///etc/py/wheels/x-1.0-py3-none-any.whl",
        "tqdm",
      ],
      findLinks: ["/etc/py/wheels"],
      dist: "/etc/py/wheels",
      runtimeFolder: "/etc/py/wheels",
      cacheDir: "/etc/cache",
      mounts: [{ host: "/etc/py/data", guest: "/mnt/data", isWritable: true }],
    },
  );
  assertEquals(await read('locked = "my.lock"'), {
    locked: { path: "/etc/py/my.lock", text: "lock" },
  });
});

Deno.test("a file of options may be named by a variable, relative to the current folder", async () => {
  const context = machine({ "/srv/app/c.toml": "timeout = 5" });
  const env = { MCP_RUN_PYTHON_CONFIG: "c.toml" };
  const invocation = await parseArguments(["stdio"], env, context);
  assert(invocation.command === "stdio");
  assertEquals(invocation.settings.timeoutSeconds, 5);
});

Deno.test("a pyproject.toml has options in its own table", async () => {
  const file = "/etc/py/pyproject.toml";
  const toml = 'timeout = "x"\n[tool.mcp-run-python]\ntimeout = 5';
  assertEquals(await read(toml, { file }), { timeoutSeconds: 5 });
  await assertRefused(
    read("timeout = 5", { file }),
    /^Cannot read the options in "\/etc\/py\/pyproject\.toml" as it has no table \[tool\.mcp-run-python\]\. Add one/,
  );
});

Deno.test("a wrong file of options is refused by file, key, value and remedy", async () => {
  const wrong: Record<string, RegExp> = {
    "tiemout = 5":
      /^Cannot use "tiemout" in "\/etc\/py\/c\.toml" as no option in a file has this name\. Did you mean timeout\?/,
    "config = 'x'": /"config" in .* no option in a file/,
    "code = 'x'": /"code" in .* no option in a file/,
    "timeout = -5":
      /^Cannot use "-5" for timeout in "\/etc\/py\/c\.toml" as it must be a number of seconds above 0/,
    "timeout = true": /^Cannot use true for timeout in .* must be a number/,
    "timeout = [5]": /^Cannot use \[5\] for timeout in .* must be a number/,
    "offline = 1":
      /^Cannot use 1 for offline in .* must be 0, 1, true or false/,
    "deps = 5":
      /^Cannot use 5 for deps in .* requirements such as .*, or a list of texts\./,
    "deps = ['rich', 5]": /^Cannot use \["rich",5\] for deps in /,
    "deps = ['num py']": /requirement "num py" in "\/etc\/py\/c\.toml"/,
    "isolation = 'bwrp'": /for isolation in .* Did you mean bwrap\?/,
    "find-links = 'none'": /"\/etc\/py\/none" for find-links in "\/etc\/py/,
    "locked = 'none'": /lock file "\/etc\/py\/none"/,
    "index-url = 'ada:secret@h.example'":
      /^Cannot use "\*\*\*@h\.example" for index-url in .* an http or https URL/,
    "index-url = ['https://ada:secret@h.example']":
      /^Cannot use \["https:\/\/\*\*\*@h\.example"\] for index-url in /,
    "env = { A = 5 }": /^Cannot use "\{…\}" for env in .* NAME=VALUE/,
    "env = { a-b = 'secret' }": /^Cannot use "\{…\}" for env in /,
    "env = ['1A=secret']": /^Cannot use "1A=…" for env in /,
    "env = 'NONE'": /^Cannot use "NONE" for env in .* no such variable/,
    "env = 123456": /^Cannot use … for env in /,
    "timeout = ":
      /^Cannot read the options in ".*c\.toml" as line 1 is not TOML: /,
    "env = { A = 'secret\n' }": /as line 1 is not TOML: /,
  };
  for (const [toml, message] of Object.entries(wrong)) {
    await assertRefused(read(toml), message);
  }
  await assertRefused(
    parseArguments(["stdio", "--config", "none.toml"], {}, machine()),
    /^Cannot read the options in "\/srv\/app\/none\.toml": No such file .* Name a TOML file with --config\./,
  );
});

async function assertRefused(reading: Promise<unknown>, message: RegExp) {
  await assertRejects(reading, (error) => {
    assert(error instanceof UserError, String(error));
    assertEquals(error.exitCode, 2);
    assert(message.test(error.message), error.message);
    assert(!error.message.includes("secret"), error.message);
    return true;
  });
}
