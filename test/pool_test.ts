/**
 * A pool of real sandbox processes: how many it keeps.
 *
 * @module
 */
import { ENGINE } from "../src/engines/index.ts";
import { assert, assertEquals } from "../deps/assert.ts";
import { LocalPool } from "../src/server/pool/local_pool.ts";
import { type BareSandbox, startBareSandbox } from "./support/bare_process.ts";
import { connect } from "./support/pool_process.ts";
import { whichOutlive } from "./support/processes.ts";
import { HAS_PROC } from "./support/proc.ts";
import { REQUEST, SETUP } from "./support/request.ts";

Deno.test({
  name:
    "a pool without calls ends its processes but one; calls start them again",
  ignore: !HAS_PROC,
  async fn() {
    const started: Promise<BareSandbox>[] = [];
    const spawn = () => {
      const starting = startBareSandbox();
      started.push(starting);
      return connect(starting);
    };
    const sizes = { ready: 2, running: 2, waiting: 2 };
    const pool = new LocalPool(spawn, sizes, {
      engine: ENGINE.profile,
      setup: SETUP,
      idleMs: 1,
    });
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      pool.close();
      for (const process of await Promise.all(started)) {
        await process[Symbol.asyncDispose]();
      }
    });
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
