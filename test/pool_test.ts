/**
 * A pool of real sandbox processes: how many it keeps.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import type { Made } from "../src/server/pool/pool.ts";
import { type BareSandbox, startBareSandbox } from "./support/bare_process.ts";
import { connect } from "./support/pool_process.ts";
import { whichOutlive } from "./support/processes.ts";
import { HAS_PROC } from "./support/proc.ts";
import { REQUEST, SETUP } from "./support/request.ts";

type Options = ConstructorParameters<typeof LocalPool>[2];

/** A pool of real processes. */
function openPool(options: Partial<Options>) {
  const started: Promise<BareSandbox>[] = [];
  const spawn = () => {
    const starting = startBareSandbox();
    started.push(starting);
    return connect(starting);
  };
  const sizes = { ready: 2, running: 2, waiting: 2 };
  const terms = { engine: ENGINE.profile, setup: SETUP };
  const pool = new LocalPool(spawn, sizes, { ...terms, ...options });
  return {
    pool,
    started,
    async [Symbol.asyncDispose]() {
      pool.close();
      for (const process of await Promise.all(started)) {
        await process[Symbol.asyncDispose]();
      }
    },
  };
}

Deno.test("a pool rewinds real interpreters for their realm, where they are clean", async () => {
  const made: Made[] = [];
  await using opened = openPool({
    rewinds: true,
    onMade: (how) => made.push(how),
  });
  const { pool, started } = opened;
  const run = async (code: string, realm = "a") => {
    let kind = "";
    const ran = await pool.run({ ...REQUEST, code }, {
      ...{ realm, client: [realm] },
      onEnd: ({ interpreter }) => kind = interpreter,
    });
    assertEquals(ran.status, "success", JSON.stringify(ran));
    return kind;
  };
  // The first one of a process may not be kept yet.
  for (const _ of "12") await run("x = 1");
  assertEquals(await run("assert 'x' not in dir()"), "rewound");
  assertEquals(await run("import js"), "rewound");
  assertEquals(await run("'clean'"), "fresh");
  assert(made.includes("rewound") && made.includes("javascript"), `${made}`);
  const before = made.length;
  assertEquals(await run("'another caller'", "b"), "fresh");
  await run("'its own'", "b");
  assertEquals(await run("'again'", "b"), "rewound");
  assert(made.length >= before + 2, `${made}`);
  assert(started.length <= 3, `${started.length}`);
});

Deno.test({
  name:
    "a pool without calls ends its processes but one; calls start them again",
  ignore: !HAS_PROC,
  async fn() {
    await using opened = openPool({ idleMs: 1 });
    const { pool, started } = opened;
    let before = 0;
    for (let burst = 0; burst < 2; burst++) {
      const runs = [pool.run(REQUEST), pool.run(REQUEST)];
      for (const { status } of await Promise.all(runs)) {
        assertEquals(status, "success");
      }
      assert(started.length > before, `${started.length} of ${before}`);
      before = started.length;
      const pids = (await Promise.all(started)).map(({ pid }) => pid);
      assertEquals((await whichOutlive(pids, { most: 1 })).length, 1);
    }
  },
});
