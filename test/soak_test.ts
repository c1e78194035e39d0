/**
 * Short soaks. `deno task slow` does ten times as many runs, `deno task soak` fifty
 * times as many.
 *
 * @module
 */
import { assertEquals } from "../deps/assert.ts";
import { log } from "../src/log.ts";
import { MONTY_KINDS } from "./bench/soak/monty_kinds.ts";
import { complaints } from "./bench/soak/report.ts";
import { soakSessions } from "./bench/soak/sessions.ts";
import { soak } from "./bench/soak/soak.ts";
import { ALL_ROUNDS } from "./support/rounds.ts";

const NO_PROC = Deno.build.os !== "linux" &&
  "needs /proc to find processes and what they hold";
if (NO_PROC) log(`skipped: soak: ${NO_PROC}`);

/** So few runs see a process warm up. */
const GROWTH = 2;
/** Pieces of sessions are garbage for a while. */
const SAVING_GROWTH = 3;
/** It does not wait for the minute after which there is one. */
const SANDBOXES = 2;

const SERVED = {
  "runs of all kinds, with sandboxes that are killed and stopped, are answered right and leave nothing":
    undefined,
  "runs of Monty, with sandboxes that are killed and stopped, are answered right and leave nothing":
    { args: ["--engine", "monty"], kinds: MONTY_KINDS },
};

for (const [name, served] of Object.entries(SERVED)) {
  Deno.test({
    name,
    ignore: Boolean(NO_PROC),
    async fn() {
      const seed = Date.now() % 2 ** 31;
      log(`seed ${seed}`);
      const soaked = await soak({
        runs: ALL_ROUNDS ? 400 : served ? 60 : 15,
        seed,
        servers: 1,
        callers: 4,
        untilFloor: false,
        ...(served ? { served } : {}),
      });
      assertEquals(
        complaints(soaked, { growth: GROWTH, sandboxes: SANDBOXES }),
        [],
      );
    },
  });
}

for (const hasStore of [false, true]) {
  Deno.test({
    name: `sessions ${
      hasStore ? "that are saved, and outlive their server," : "in memory"
    } keep their own state, or tell of its loss once, and leave nothing`,
    // The short form saves sessions.
    ignore: Boolean(NO_PROC) || !ALL_ROUNDS && !hasStore,
    async fn() {
      const seed = Date.now() % 2 ** 31;
      log(`seed ${seed}`);
      const soaked = await soakSessions({
        ...{ seed, hasStore, callers: 3, servers: hasStore ? 2 : 1 },
        ...(ALL_ROUNDS
          ? { calls: 250, sessions: 20, stops: 0.3 }
          : { calls: 30, sessions: 8, stops: 0 }),
      });
      assertEquals(
        complaints(soaked, { growth: SAVING_GROWTH, sandboxes: SANDBOXES }),
        [],
      );
    },
  });
}
