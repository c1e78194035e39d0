/**
 * The contract of an engine: the same tests over each, the differences declared in
 * one table. The toy engine shows that a row and a folder are all that an engine is.
 *
 * @module
 */
import { join } from "node:path";
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
} from "../deps/assert.ts";
import type {
  Engine,
  EngineOptions,
  EngineRow,
  Interpreter,
  OpenEngine,
} from "../src/engines/engine.ts";
import { ENGINE } from "../src/engines/index.ts";
import type { Ending } from "../src/protocol/run_messages.ts";
import { baseFolder, ensurePython } from "./support/cache.ts";
import { CACHE, TOY_CLI } from "./support/command.ts";
import { tempFolder } from "./support/folder.ts";
import { REQUEST, SETUP } from "./support/request.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { shareServer } from "./support/shared_server.ts";
import { MONTY } from "../src/engines/monty/engine.ts";
import { TOY } from "./support/toy_engine/row.ts";

interface Case {
  row: EngineRow;
  /** Folder of an environment without packages. */
  environment(): Promise<string>;
  /** Code that does not end by itself. */
  endless: string;
  start(): Promise<TestServer>;
}

const CASES: Case[] = [
  {
    row: ENGINE,
    async environment() {
      await ensurePython();
      return baseFolder(CACHE);
    },
    endless: "while True: pass",
    start: () => shareServer(),
  },
  {
    row: MONTY,
    environment: () => Promise.resolve(""),
    endless: "while True: pass",
    start: () => shareServer(["--engine", "monty"]),
  },
  {
    row: TOY,
    environment: () => Promise.resolve(""),
    endless: "spin",
    start: () => startServer(["--engine", "toy"], "2025-11-25", TOY_CLI),
  },
];

for (const one of CASES) {
  const { label, canSave } = one.row.profile;
  const of = (what: string, work: () => Promise<void>) =>
    Deno.test(`engine contract: ${label}: ${what}`, work);

  of("a run ends with the value of its last expression", async () => {
    await using it = await prepare(one);
    assertEquals(await it.run("6 * 7"), { status: "success", value: "42" });
    assertEquals(await it.run("x = (1 + 2) * 3\nx - 4"), {
      ...{ status: "success", value: "5" },
    });
    assertEquals(await it.run("y = 1"), { status: "success", value: "null" });
  });

  of("an error ends the run, and not the interpreter", async () => {
    await using it = await prepare(one);
    for (const code of ["1 // 0", "1 +", "not_there"]) {
      const ending = await it.run(code);
      assert(ending.status === "run-error", ending.status);
      assertMatch(ending.error, /ZeroDivision|Syntax|Name/);
      assertEquals(ending.exitCode, 1);
    }
    assertEquals(await it.run("1"), { status: "success", value: "1" });
  });

  of(
    "a run finds what the runs before it have left, and its globals",
    async () => {
      await using it = await prepare(one);
      await it.run("x = 40");
      assertEquals(await it.run("x + y", { y: 2 }), {
        ...{ status: "success", value: "42" },
      });
      await using other = await prepare(one);
      assertEquals((await other.run("x")).status, "run-error");
    },
  );

  of("output comes while the code runs, in order", async () => {
    await using it = await prepare(one);
    await it.run("print(1)\nprint(2)");
    assertEquals(it.printed.join(""), "1\n2\n");
  });

  of(
    "an interrupt ends endless code, and the next run finds the variables",
    async () => {
      await using it = await prepare(one);
      await it.run("x = 3");
      const running = it.run(`print(x)\n${one.endless}`);
      await it.hasPrinted;
      it.interpreter.interrupt();
      const ending = await running;
      assert(ending.status === "run-error", ending.status);
      assertMatch(ending.error, /KeyboardInterrupt/);
      assertEquals(it.interpreter.isDeaf(), false);
      assertEquals(await it.run("x"), { status: "success", value: "3" });
    },
  );

  of(
    canSave ? "a session is saved" : "a save says why it cannot be",
    async () => {
      await using it = await prepare(one);
      await it.run("x = 3");
      // As the client goes away: it comes as the run is over.
      it.interpreter.interrupt();
      let bytes = 0;
      const end = await it.interpreter.save((piece) => {
        bytes += piece.bytes.length;
        assert(bytes <= it.engine.mostSaved);
        return Promise.resolve();
      });
      assertEquals(end?.type, canSave ? "saved" : "unsaved");
      assertEquals(bytes > 0, canSave);
      if (end?.type === "unsaved") assert(end.reasons.length > 0);
      assertEquals(await it.run("x"), { status: "success", value: "3" });
    },
  );

  of("its worker gives up the paths that are not its guest's", async () => {
    if (one.row === TOY) return;
    await using folder = await tempFolder();
    await Deno.writeTextFile(join(folder.path, "x.txt"), "text");
    const mount = { guest: "/mnt/data", isWritable: false };
    const look = async (ownReads: string[]) => {
      const mounts = [{ ...mount, host: folder.path }];
      await using it = await prepare(one, { mounts, ownReads });
      return (await it.run('open("/mnt/data/x.txt").read()')).status;
    };
    assertEquals(await look([]), "success");
    // CPython looks at a mount before it starts.
    const status = await look([folder.path]).catch(() => "not started");
    assertNotEquals(status, "success");
  });

  of("its rehearsal changes nothing", async () => {
    const { rehearsal } = one.row.profile;
    if (!rehearsal) return;
    await using it = await prepare(one);
    const request = { ...REQUEST, ...rehearsal };
    await it.interpreter.run({ request }, () => Promise.resolve());
    assertEquals((await it.run("text")).status, "run-error");
  });

  of("it serves run_python_code through launcher and server", async () => {
    await using server = await one.start();
    const { tools } = await server.client.listTools();
    const { description = "" } = tools.find(({ name }) =>
      name === "run_python_code"
    ) ?? {};
    const { lacks, always } = one.row.profile.promises;
    for (const promise of [lacks, ...always]) {
      assert(description.includes(promise), description);
    }
    assertEquals((await server.call("6 * 7")).returnValue, 42);
    assertMatch((await server.call("1 // 0")).text, /ZeroDivisionError/);
  });
}

interface Prepared extends AsyncDisposable {
  engine: Engine;
  interpreter: Interpreter;
  printed: string[];
  hasPrinted: Promise<void>;
  run(code: string, globals?: object): Promise<Ending>;
}

async function prepare(
  { row, environment }: Case,
  more: Pick<EngineOptions, "mounts" | "ownReads"> = {},
): Promise<Prepared> {
  const { openEngine }: { openEngine: OpenEngine } = await import(
    row.host.href
  );
  const { files } = await row.findRuntime();
  const engine = await openEngine({
    ...{ runtime: files, environment: await environment() },
    ...{ memoryMiB: 512, maxFilesMiB: 64, maxFiles: 1000 },
    ...more,
  });
  const interpreter = await engine.prepare(SETUP, () => {});
  const printed: string[] = [];
  const { promise: hasPrinted, resolve } = Promise.withResolvers<void>();
  return {
    ...{ engine, interpreter, printed, hasPrinted },
    run: (code, globals = {}) =>
      interpreter.run(
        { request: { ...REQUEST, code, globals: JSON.stringify(globals) } },
        (message) => {
          if (message.type === "output") printed.push(message.text);
          resolve();
          return Promise.resolve();
        },
      ),
    async [Symbol.asyncDispose]() {
      await interpreter.end();
    },
  };
}
