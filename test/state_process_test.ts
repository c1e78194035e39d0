/**
 * The state process as the launcher starts it: its folder, its flags, its end.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { STATE_BOUNDS } from "../src/protocol/keeper_messages.ts";
import { CLI, command } from "./support/command.ts";
import { namesIn, tempFolder } from "./support/folder.ts";
import { type Keeping, startKeeping } from "./support/keeping.ts";
import { maybeRead } from "./support/proc.ts";
import { startProbeTarget } from "./support/probe_target.ts";
import { descendants, whichOutlive } from "./support/processes.ts";
import { assertAllowed, runDeno } from "./support/run_probe.ts";

const NO_PROC = Deno.build.os !== "linux" &&
  "needs /proc to read the flags of a process";
if (NO_PROC) log(`skipped: flags of the state process: ${NO_PROC}`);

const PLACE = { space: "memory", owner: "ada", key: "k" } as const;
const PUT = { type: "put", ...PLACE } as const;
const PROGRAM = `file://${dirname(CLI)}/src/keeper/main.ts`;

/** The words with which the state process was started. */
function wordsOf({ pid }: Keeping): string[] | undefined {
  return descendants(pid)
    .map((child) => (maybeRead(`/proc/${child}/cmdline`) ?? "").split("\0"))
    .find((words) => words.includes(PROGRAM));
}

Deno.test({
  name: "running: the state process has its folder, and no more",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    await using keeping = startKeeping(["--state-dir", folder.path]);
    assertEquals((await keeping.ask(PUT, "1")).type, "done");
    const words = wordsOf(keeping) ?? [];
    const at = words.indexOf(PROGRAM);
    const flags = words.slice(2, at);
    assertEquals(flags, [
      ...["--quiet", "--cached-only", "--no-prompt"],
      ...[`--allow-read=${folder.path}`, `--allow-write=${folder.path}`],
    ]);
    assertEquals(JSON.parse(words[at + 1] ?? ""), {
      ...{ folder: folder.path, bounds: STATE_BOUNDS },
    });
    await using target = startProbeTarget();
    const probe = fileURLToPath(import.meta.resolve("./support/probe.ts"));
    assertAllowed(await runDeno([...flags, probe], { port: target.port }), []);
  },
});

Deno.test({
  name:
    "the state process starts with the first request, and ends with the server",
  ignore: Boolean(NO_PROC),
  async fn() {
    await using folder = await tempFolder();
    const kept = join(folder.path, "deep/kept");
    {
      await using keeping = startKeeping(["--state-dir", kept]);
      assertEquals(await keeping.ask({ type: "get", ...PLACE }), {
        type: "absent",
      });
      assert(wordsOf(keeping));
      await keeping.ask(PUT, "1");
      const family = descendants(keeping.pid);
      await keeping.closeInput();
      assertEquals(await keeping.ended(), { how: 0, stderr: "" });
      assertEquals(await whichOutlive(family), []);
    }
    assertEquals((await Deno.stat(kept)).mode! & 0o777, 0o700);
    await using next = startKeeping(["--state-dir", kept]);
    const found = await next.ask({ type: "get", ...PLACE });
    assert(found.type === "found" && found.text === "1");
  },
});

Deno.test({
  name:
    "the usual folder is that of the user's state, and a start does without it",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using folder = await tempFolder();
    const env = { XDG_STATE_HOME: folder.path };
    {
      await using keeping = startKeeping([], env);
      assertEquals((await keeping.ask(PUT, "1")).type, "done");
      const kept = join(folder.path, "mcp-run-python/kept");
      assertEquals((await namesIn(kept)).length, 2);
    }
    await using keeping = startKeeping([], { XDG_STATE_HOME: "/dev/null" });
    const said = await keeping.ask(PUT, "1");
    assert(said.type === "ended");
    assertMatch(
      said.reason,
      /the keeper of --state-dir does not start: Cannot keep memory and saved tools in "\/dev\/null\/mcp-run-python\/kept": Not a directory\. Choose another folder with --state-dir\./,
    );
  },
});

Deno.test("a start is refused if Python could see the folder, or it cannot be used", async () => {
  await using folder = await tempFolder();
  const [inner] = await folder.make("inner");
  const serve = (...args: string[]) =>
    command(["--code-mode", ...args, "stdio"], { stdin: "" });
  const refused = [
    [
      ["--state-dir", inner, "--mount", folder.path],
      /would see the memory and saved tools/,
    ],
    [
      ["--state-dir", folder.path, "--mount", inner],
      /another folder with --state-dir/,
    ],
    [["--state-dir", "/dev/null/x"], /Not a directory\. Choose another folder/],
    [["--state-dir", `${inner}/a,b`], /takes a path with a comma for two/],
  ] as const;
  for (const [args, reason] of refused) {
    const { code, stderr } = await serve(...args);
    assertEquals(code, 2, stderr);
    assertMatch(stderr, reason);
  }
});

Deno.test("without code mode there is no state process, and no folder", async () => {
  await using folder = await tempFolder();
  const kept = join(folder.path, "kept");
  const { code } = await command(["--state-dir", kept, "stdio"], { stdin: "" });
  assertEquals(code, 0);
  assertEquals(await namesIn(folder.path), []);
});
