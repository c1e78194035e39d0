import { assert, assertEquals } from "../../../deps/assert.ts";
import {
  openProgress,
  ProgressCounter,
  type ProgressRequest,
} from "./progress_sender.ts";

Deno.test("ProgressCounter counts what has no number", () => {
  const counter = new ProgressCounter();
  const said = [{}, {}, { progress: 7 }, {}];
  assertEquals(said.map((one) => counter.next(one).progress), [1, 2, 7, 8]);
});

Deno.test("ProgressCounter grows, whatever comes", () => {
  const counter = new ProgressCounter();
  const large = Number.MAX_SAFE_INTEGER;
  let last = -1;
  for (const progress of [0, 0, 0.5, 0.5, 3, 1, 1, 0, large, large, 0, 1, 2]) {
    const next = counter.next({ progress }).progress;
    assert(next > last && Number.isFinite(next), `${next} after ${last}`);
    last = next;
  }
});

Deno.test("ProgressCounter gives lines no number of the work", () => {
  const counter = new ProgressCounter();
  const lines = [counter.nextOfLine(), counter.nextOfLine()];
  assertEquals(counter.next({ progress: 0, total: 3 }).total, 3);
  assertEquals(counter.next({ progress: 1, total: 3 }), {
    ...{ progress: 1, total: 3 },
  });
  lines.push(counter.nextOfLine());
  assertEquals(counter.next({}), { progress: 2 });
  const grown = lines.map(({ progress }) => progress);
  assert(grown.every((number, at) => number > (grown[at - 1] ?? -1)));
  assert(grown.every((number) => Math.floor(number) <= 1), `${grown}`);
});

Deno.test("openProgress() has the result wait for what is sent", async () => {
  const sent: unknown[] = [];
  const done = Promise.withResolvers<void>();
  const cancel = new AbortController();
  const request: ProgressRequest = {
    _meta: { progressToken: 0 },
    signal: cancel.signal,
    async notify(notification) {
      await done.promise;
      sent.push(notification);
    },
  };
  const progress = openProgress(request);
  progress.report({ message: "m", total: 2 });
  const closed = progress.close().then(() => sent.length);
  done.resolve();
  assertEquals(await closed, 1);
  assertEquals(sent, [{
    method: "notifications/progress",
    params: { progressToken: 0, progress: 1, total: 2, message: "m" },
  }]);
  cancel.abort();
  progress.report({ message: "late" });
  await progress.close();
  assertEquals(sent.length, 1);
});

Deno.test("ProgressCounter counts a second loop on from the first", () => {
  const counter = new ProgressCounter();
  counter.next({ progress: 9, total: 10 });
  const second = { progress: 11, total: 19 };
  assertEquals(counter.next({ progress: 2, total: 10 }), second);
  assertEquals(counter.next({}), { progress: 12 });
});
