/**
 * Looks into sessions in real sandbox processes.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals, assertMatch } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import { type Looked, Looks } from "../src/server/sessions/looks.ts";
import { startBareSandbox } from "./support/bare_process.ts";
import { connect } from "./support/pool_process.ts";
import { REQUEST, SETUP } from "./support/request.ts";

/**
 * A session in a process of its own, and looks into it.
 *
 * @param lookMs A shorter time of a look than it has.
 */
async function openSession(lookMs = Infinity) {
  const setup = {
    ...{ ...SETUP, maxOutput: 100_000 },
    files: { bytes: 2 ** 20, count: 100 },
  };
  const bare = await startBareSandbox(setup);
  const pool = new LocalPool(() => connect(Promise.resolve(bare)), {
    // It starts one process, and no other beside the session's.
    ...{ ready: 0, running: 1, waiting: 9 },
  }, { engine: ENGINE.profile, setup });
  const { session, refused } = await pool.open();
  assert(session, JSON.stringify(refused));
  return {
    looks: new Looks((request, options) => {
      const timeoutMs = Math.min(request.timeoutMs, lookMs);
      return session.run({ ...request, timeoutMs }, options);
    }),
    run: (code: string) => session.run({ ...REQUEST, code }),
    async [Symbol.asyncDispose]() {
      await session.close();
      pool.close();
      await bare[Symbol.asyncDispose]();
    },
  };
}

function found<T>({ found, failed }: Looked<T>): T {
  if (failed) throw new Error(failed.error);
  return found as T;
}

Deno.test("a look shows variables, files and completions, and runs no code", async () => {
  await using session = await openSession();
  const { looks, run } = session;
  assertEquals(found(await looks.variables()), {
    ...{ variables: [], count: 0, modules: [] },
  });
  await run(`
import os.path, json as j
class Table:
    nbytes, shape = 4000, (10, 50)
    _repr_png_ = None
    def __repr__(self): return "a table " * 100
    @property
    def late(self): 1 / 0
x, long, table, big = 1, list(range(1000)), Table(), 10 ** 5000
grüße = {"a": ["b", (1,)], 2: {3}, "s": "x" * 1000}
os.makedirs("in/er"); open("in/er/a", "w").write("äöü"); open("b", "w").close()
open("/tmp/x", "w").close()
os.symlink("/workspace/in/er/a", "inside"); os.symlink("/tmp/x", "out")
1 / 0`);
  const { variables, count, modules } = found(await looks.variables());
  assertEquals([count, modules], [6, ["os", "j"]]);
  const shown = variables.map(({ size: _, ...variable }) => variable);
  assertEquals(shown.slice(1, 2), [{ name: "x", type: "int", repr: "1" }]);
  assertEquals(shown[3], {
    ...{ name: "table", type: "Table", shape: [10, 50] },
    repr: "a table ".repeat(100).slice(0, 99) + "…",
  });
  assertMatch(`${shown[2]?.repr}`, /^\[0, 1, 2, .*…/);
  assertMatch(`${shown[4]?.repr}`, /^10{98}…$/);
  assertMatch(
    `${shown[5]?.repr}`,
    /^{'a': \['b', \(1,\)], 2: \{3\}, 's': 'xxx.*…$/,
  );
  assertEquals(variables[3]?.size, 4000);
  assert((variables[2]?.size ?? 0) > 3000);

  const { files, count: all } = found(await looks.files());
  assertEquals(
    [all, ...files.map(({ path, size }) => [path, size])],
    [2, ["b", 0], ["in/er/a", 6]],
  );
  assert(Math.abs(Date.parse(`${files[0]?.modified}`) - Date.now()) < 3600_000);
  assertEquals(found(await looks.files("b")).files.length, 1);
  for (const path of ["in/er/a", "inside"]) {
    const part = found(
      await looks.readFile({ path, offset: 2, limit: 2 }),
    );
    assertEquals(part, { size: 6, bytes: new TextEncoder().encode("ö") });
  }
  for (
    const [path, reason] of [
      ["none", /There is no file "none"/],
      ["in/er", /is a folder/],
      ["b/c", /There is no file/],
      ["out", /not a file of it/],
    ] as const
  ) {
    const { failed } = await looks.readFile({ path, offset: 0, limit: 9 });
    assertMatch(`${failed?.error}`, reason);
  }
  const bytes = new TextEncoder().encode("new");
  assertEquals(
    found(
      await looks.writeFiles([{ path: "in/new", bytes }, {
        path: "b/c",
        bytes,
      }]),
    ).length,
    1,
  );

  assertEquals(found(await looks.complete("y = gr")), {
    ...{ word: "gr", matches: ["grüße"] },
  });
  assertEquals(found(await looks.complete("table.la")), {
    ...{ word: "table.la", matches: ["table.late"] },
  });
  assertEquals(found(await looks.complete("os.path.isd")).matches, [
    ...["os.path.isdevdrive", "os.path.isdir"],
  ]);
  assertEquals(found(await looks.complete("1 + ")).matches, []);
  for (
    const [text, state] of [
      ["x", "complete"],
      ["await x", "complete"],
      ["x = [1,\n  2]", "complete"],
      ["x = [1,", "incomplete"],
      ["for i in x:", "incomplete"],
      ["for i in x:\n  i", "incomplete"],
      ["for i in x:\n  i\n", "complete"],
      ["'''", "incomplete"],
      ["x = = 1", "invalid"],
      ["!pip install rich", "complete"],
      ["", "complete"],
    ] as const
  ) {
    assertEquals([text, found(await looks.isComplete(text))], [text, state]);
  }

  const after = await run(
    `import sys; [open("in/new").read(), sorted(n for n in globals() if n[0] != "_")]`,
  );
  assert(after.status === "success");
  assertEquals(after.returnValue, [
    "new",
    ["Table", "big", "grüße", "j", "long", "os", "sys", "table", "x"],
  ]);
});

Deno.test("a look that is stopped answers with less; one that cannot be stopped ends the session", async () => {
  await using session = await openSession(2000);
  const { looks, run } = session;
  await run(`
import itertools
def loop():
    while True: pass
class Stubborn:
    def __repr__(self):
        try: loop()
        except BaseException: loop()
class Stuck:
    def __repr__(self): all(itertools.repeat(1))
x, y = Stubborn(), 1`);
  const { variables } = found(await looks.variables());
  assertEquals(variables.slice(-2).map(({ repr }) => repr), [
    ...["<Stubborn object>", "1"],
  ]);
  await run("x = Stuck()");
  const { failed } = await looks.variables();
  assertEquals(failed?.status, "timeout");
  const lost = await run("y");
  assertEquals(lost.status, "session-lost");
});
