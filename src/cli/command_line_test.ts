import { assert, assertEquals } from "../../deps/assert.ts";
import { machine } from "../../test/support/machine.ts";
import { parseArguments } from "./arguments.ts";
import { toCommandLine } from "./command_line.ts";
import type { Env } from "./context.ts";

const context = machine({
  "/srv/app/r.txt": `rich>=1, <99 ; os_name != "a,b"
./x-1.0-py3-none-any.whl --hash=sha256:${"0a".repeat(32)}`,
  "/srv/app/s.txt": `rich>=1, <99 ; os_name != "a,b"
x @ https://ada:secret,@h.example/a,b/x-1-py3-none-any.whl`,
  "/srv/app/x-1.0-py3-none-any.whl": "",
  "/srv/app/my.lock": 'lock-version = "1.0"',
  "/srv/a @b/x": "",
  "/srv/a@c/x": "",
});

async function settings(args: readonly string[], env: Env = {}) {
  const invocation = await parseArguments([...args, "stdio"], env, context);
  assert(invocation.command === "stdio");
  return invocation.settings;
}

const LINES = [
  [],
  ["--deps", "rich[a,b]>=2,<4,numpy", "--deps-file", "r.txt"],
  ["--deps", "rich,x @ https://ada:secret@h.example/x-1-py3-none-any.whl"],
  ["--deps-file", "s.txt"],
  ["--constraints", "numpy<3,rich>1,<9", "--allow-install", "a,b"],
  ["--allow-install=*"],
  ["--allow-net", "a.com:80,[::1]", "--allow-net=*"],
  ["--env", "A=secret, too", "--env", "B=x=y\nsecret"],
  ["--locked", "my.lock"],
  ["--find-links", "/srv/a @b", "--find-links", "/srv/a@c"],
  ["--dist", "https://ada:secret@h.example", "--pyodide", "/srv/a@c"],
  ["--dist", "/srv/a@c", "--index-url", "https://h.example/simple"],
  [
    ...["--index-url", "https://ada:secret@h.example/simple"],
    ...["--extra-index-url", "https://ada:secret@i.example/simple"],
    ...["--extra-index-url", "https://j.example/simple"],
  ],
  [
    ...["--return-mode", "json", "--no-structured", "--offline", "--verbose"],
    ...["--timeout", "0.5", "--max-timeout", "9", "--memory", "256"],
    ...["--cpu-time", "2", "--max-files-size", "3", "--max-files", "4"],
    ...["--max-output", "10", "--max-code", "20", "--cache-dir", "/c@d"],
    ...["--max-host-calls", "5", "--max-host-call-size", "2048"],
    ...["--host-call-timeout", "0.5"],
    ...["--isolation", "bwrap", "--inspect", "server"],
  ],
];

Deno.test("toCommandLine() gives the same settings again", async () => {
  for (const line of LINES) {
    const wanted = await settings(line);
    const { args, env } = toCommandLine(wanted, {});
    assertEquals(await settings(args, env), wanted);
  }
});

Deno.test("toCommandLine() keeps credentials out of the arguments", async () => {
  for (const line of LINES) {
    const { args } = toCommandLine(await settings(line), {});
    assert(!args.join(" ").includes("secret"), args.join(" "));
  }
});

Deno.test("toCommandLine() replaces the variables of options, and keeps others", async () => {
  const before = {
    PATH: "/bin",
    MCP_RUN_PYTHON_DEPS: "numpy",
    MCP_RUN_PYTHON_DEPS_FILE: "none.txt",
    MCP_RUN_PYTHON_STRUCTURED: "0",
    MCP_RUN_PYTHON_OFFLINE: "1",
    MCP_RUN_PYTHON_CACHE_DIR: "/other",
  };
  const wanted = await settings([]);
  const { args, env } = toCommandLine(wanted, before);
  assertEquals(env, { PATH: "/bin" });
  assertEquals(await settings(args, env), wanted);
});
