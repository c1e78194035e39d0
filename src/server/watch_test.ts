import { openShares } from "./shares.ts";
import { SERVER_SETTINGS } from "../../test/support/request.ts";
import { REQUEST } from "../../test/support/request.ts";
import { assertEquals } from "../../deps/assert.ts";
import type { RunResult } from "../protocol/run_result.ts";
import { RunLog } from "./run_log.ts";
import { SessionFigures } from "./sessions/session_figures.ts";
import { Watch, type Watched } from "./watch.ts";

const WATCHED: Watched = {
  pools: {
    environment: SERVER_SETTINGS.environment,
    status: {
      ...{ preparing: 0, ready: 1, busy: 0, kept: 0, waiting: 0, memoryMiB: 9 },
    },
    waits: { interpreter: 0, turn: 0, session: 0, packages: 0 },
    unready: undefined,
    installs: { done: 0, failed: 0 },
    made: { rewound: 40, memory: 2 },
    restarts: { exited: 0, killed: 0, late: 0, retired: 0, broken: 0 },
  },
  sessions: {
    status: { awake: 0, saved: 0, lost: 0, memoryMiB: 0 },
    figures: new SessionFigures(),
    storeRoom: { bytes: 0, totalBytes: 0 },
  },
  shares: openShares(SERVER_SETTINGS),
  broker: { unwritten: { log: 0, audit: 0 } },
};

const DONE: RunResult = { status: "success", returnValue: 1, output: [] };

Deno.test("Watch tells of runs under way and ended, and to others only the figures", async () => {
  const watch = new Watch(SERVER_SETTINGS, WATCHED);
  const runs = new RunLog([watch]);
  const held = Promise.withResolvers<RunResult>();
  const client = { name: "agent", caller: "alice" };
  const run = runs.follow(REQUEST, client, (onEnd, onSession) => {
    onSession("handle");
    onEnd({ wallMs: 20, replaced: undefined, interpreter: "fresh" });
    return held.promise;
  });
  // The hash of code is not needed, and not waited for.
  await Promise.resolve();
  const { underWay, othersUnderWay } = watch.snapshot("bob");
  assertEquals([underWay, othersUnderWay], [[], 1]);
  const [mine] = watch.snapshot("alice").underWay;
  assertEquals([mine?.client, mine?.status], ["agent", undefined]);
  held.resolve(DONE);
  await run;
  const after = watch.snapshot("alice");
  assertEquals([after.underWay, after.runs], [[], { success: 1 }]);
  assertEquals(after.ended[0]?.session?.length, 32);
  assertEquals(watch.snapshot("bob").ended, []);
});

Deno.test("Watch keeps the last runs, without their code", async () => {
  const watch = new Watch(SERVER_SETTINGS, WATCHED);
  const runs = new RunLog([watch]);
  for (let run = 1; run <= 105; run++) {
    const code = run === 105 ? "secret" : "1";
    const request = { ...REQUEST, code };
    await runs.follow(
      request,
      { name: "c", caller: "c" },
      () => Promise.resolve(DONE),
    );
  }
  const { ended, runs: counts } = watch.snapshot("c");
  assertEquals([ended.length, counts.success], [100, 105]);
  assertEquals([ended[0]?.id.slice(8), ended[0]?.codeBytes], ["-105", 6]);
  assertEquals(Deno.inspect(watch, { depth: 9 }).includes("secret"), false);
});

Deno.test("Watch counts calls of tools by their outcome, and nothing else that happens in a run", async () => {
  const watch = new Watch(SERVER_SETTINGS, WATCHED);
  const runs = new RunLog([watch]);
  await runs.follow(REQUEST, { name: "c" }, (_end, _session, { note }) => {
    for (const outcome of ["ok", "denied", "ok"]) note("call", { outcome });
    note("approval", { outcome: "ok" });
    note("call", {});
    return Promise.resolve(DONE);
  });
  assertEquals(watch.toolCalls, { ok: 2, denied: 1 });
});

Deno.test("Watch names why calls cannot run, the server's end first", () => {
  const unready = { state: "installing", reason: "Packages." } as const;
  const pools = { ...WATCHED.pools, unready };
  const watch = new Watch(SERVER_SETTINGS, { ...WATCHED, pools });
  assertEquals(watch.snapshot("local").unready, unready);
  watch.isEnding = true;
  assertEquals(watch.snapshot("local").unready?.state, "ending");
});
