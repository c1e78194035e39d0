import { assertEquals } from "../../../deps/assert.ts";
import { lossByEnd, lossByRun, SessionFigures } from "./session_figures.ts";

Deno.test("SessionFigures counts each cause, and has zero for all others", () => {
  const figures = new SessionFigures();
  figures.lost("memory");
  figures.evicted("room");
  figures.evicted("room");
  figures.notSaved("late");
  figures.saved(0.2);
  figures.restored(3);
  const { losses, evictions, unsaved, saveSeconds, restoreSeconds } = figures;
  assertEquals(losses, {
    ...{ killed: 0, crashed: 0, memory: 1, moved: 0, time: 0, unreadable: 0 },
    ...{ "not-saved": 0, "no-store": 0, other: 0 },
  });
  assertEquals(evictions, {
    ...{ idle: 0, room: 2, memory: 0, moved: 0, client: 0, shutdown: 0 },
  });
  assertEquals(unsaved, {
    ...{ busy: 0, late: 1, ended: 0, store: 0, state: 0, environment: 0 },
    moved: 0,
  });
  assertEquals([saveSeconds.sum, restoreSeconds.sum], [0.2, 3]);
});

Deno.test("lossByRun() and lossByEnd() have few causes", () => {
  assertEquals(
    ([
      "timeout",
      "memory-limit",
      "cancelled",
      "crashed",
      "session-lost",
    ] as const)
      .map(lossByRun),
    ["time", "memory", "killed", "crashed", "crashed"],
  );
  assertEquals(
    ([undefined, "exited", "killed", "retired", "broken"] as const)
      .map(lossByEnd),
    ["crashed", "crashed", "killed", "other", "other"],
  );
});
