/**
 * Several engines on one server: the engine of the environment first, and the toy
 * engine beside it.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import type { EngineRow } from "../src/engines/engine.ts";
import { ENGINE } from "../src/engines/index.ts";
import { startBareSandbox } from "./support/bare_process.ts";
import { ensurePython } from "./support/cache.ts";
import { command, TOY_CLI } from "./support/command.ts";
import { type Program, startPipe } from "./support/pipe.ts";
import { startServer } from "./support/server.ts";
import { TOY } from "./support/toy_engine/row.ts";

const { name: first, label } = ENGINE.profile;
const { name: toy } = TOY.profile;
const BOTH = ["--engine", `${first},${toy}`];

async function startBoth(): Promise<Program> {
  await ensurePython();
  return startPipe(BOTH, TOY_CLI);
}

/** Runs code; gives the value, or status and error. */
async function run(
  program: Program,
  id: number,
  call: { code: string; engine?: string; session?: number },
): Promise<unknown> {
  await program.send({ type: "run", id, ...call });
  const end = await program.endOf(id);
  assert(end.type === "result", JSON.stringify(end));
  const { result } = end;
  return result.status === "success"
    ? result.returnValue
    : `${result.status}: ${result.error}`;
}

Deno.test("a server runs code on the engine that a run names, and else on the first", async () => {
  await using program = await startBoth();
  // Each engine has something that the other lacks.
  const python = "import sys; 6 * 7";
  assertEquals(await run(program, 1, { code: python }), 42);
  assertEquals(await run(program, 2, { code: python, engine: first }), 42);
  assertMatch(
    `${await run(program, 3, { code: python, engine: toy })}`,
    /^run-error: NameError: import/,
  );
  assertEquals(
    await run(program, 4, { code: "x = 6\nx * 7", engine: toy }),
    42,
  );
  // Its interpreters are fresh ones.
  assertMatch(
    `${await run(program, 5, { code: "x", engine: toy })}`,
    /^run-error: NameError: x/,
  );
});

Deno.test("a server has sessions and packages of its first engine alone, and says so", async () => {
  await using program = await startBoth();
  const session = 100;
  assertEquals(await run(program, 1, { code: "x = 1", session }), null);
  assertMatch(
    `${await run(program, 2, { code: "x", session, engine: toy })}`,
    new RegExp(`^denied: .*sessions are of ${label}\\. Leave session out`),
  );
  const code = '# /// script\n# dependencies = ["rich"]\n# ///\n';
  assertMatch(
    `${await run(program, 3, { code, engine: toy })}`,
    new RegExp(
      `^denied: .*"rich" for ${TOY.profile.label}: .*engine.*${label}`,
    ),
  );
  assertMatch(
    `${await run(program, 4, { code: "1", engine: "x" })}`,
    new RegExp(`^denied: .*"x" as this server has only ${first} and ${toy}\\.`),
  );
  assertEquals(await run(program, 5, { code: "x", session }), 1);
});

Deno.test("a server of several engines serves MCP as one of its first engine does", async () => {
  await ensurePython();
  await using server = await startServer(BOTH, "2025-11-25", TOY_CLI);
  const { structured } = await server.call("x = 20", { session: "new" });
  const { session } = structured;
  assertEquals((await server.call("x + 1", { session })).returnValue, 21);
});

Deno.test("run and repl take an engine without packages as the only one", async () => {
  const cli = TOY_CLI;
  const code = "x = 6\nprint(x * 7)";
  const ran = await command(["--engine", toy, "run", "-c", code], { cli });
  assertEquals(ran, { code: 0, stdout: "42\n", stderr: "" });
  const stdin = "x = 20\nprint(x + 1)\n";
  const typed = await command(["--engine", toy, "repl"], { cli, stdin });
  assertEquals(typed, { code: 0, stdout: "21\n", stderr: "" });
  const script = '# /// script\n# dependencies = ["rich"]\n# ///\n1';
  const refused = await command(["--engine", toy, "run", "-"], {
    ...{ cli, stdin: script },
  });
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertMatch(refused.stderr, /^error: Cannot install rich for Toy: it takes/);
  const wrong = await command(["--engine", toy, "--deps", "rich", "run"], {
    ...{ cli, stdin: "1" },
  });
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  assertMatch(wrong.stderr, /^error: Cannot use --deps with --engine toy as/);
  const bundled = await command(["--engine", toy, "bundle", "x"], { cli });
  assertEquals([bundled.code, bundled.stdout], [2, ""]);
  assertMatch(bundled.stderr, new RegExp(`--engine ${first},toy\\.`));
});

Deno.test("doctor shows each engine, and tries one without packages", async () => {
  const cli = TOY_CLI;
  await ensurePython();
  const of = async (engines: string) => {
    const args = ["--engine", engines, "--offline", "doctor"];
    const { code, stdout } = await command(args, { cli });
    assertEquals(code, 0, stdout);
    return stdout;
  };
  const [both, alone] = [await of(`${first},${toy}`), await of(toy)];
  const versions = new RegExp(
    `^ {2}mcp-run-python .*, ${label} .*, Toy 1$`,
    "m",
  );
  assertMatch(both, versions);
  assertMatch(alone, /^ {2}mcp-run-python [^,]*, Toy 1$/m);
  assertMatch(alone, /^ {2}none: Toy takes no packages$/m);
  assertMatch(alone, /6 \* 7 = 42$/m);
});

Deno.test("a process of an engine makes as many interpreters as the engine allows", async () => {
  const row: EngineRow = {
    ...TOY,
    async findRuntime() {
      const files = { interpretersPerProcess: 3 };
      return { ...await TOY.findRuntime(), files };
    },
  };
  await using sandbox = await startBareSandbox({}, { row });
  for (let made = 1; made <= 3; made++) {
    assert(await sandbox.maybeReady(), `${made}`);
    await sandbox.send({ type: "next" });
  }
  // It says that it ends.
  assert(!await sandbox.maybeReady());
  assertEquals((await sandbox.ended()).code, 0);
});
