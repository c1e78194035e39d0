import { assertEquals, assertRejects } from "../deps/assert.ts";
import { Semaphore } from "./semaphore.ts";

Deno.test("Semaphore lets no more tasks work at a time than it has, in their order", async () => {
  const turns = new Semaphore(2);
  const { signal } = new AbortController();
  const done: number[] = [];
  let working = 0;
  let most = 0;
  const work = async (task: number) => {
    using _turn = await turns.take(signal);
    most = Math.max(most, ++working);
    await Promise.resolve();
    done.push(task);
    working--;
  };
  const tasks = [1, 2, 3, 4, 5];
  await Promise.all(tasks.map(work));
  assertEquals([most, done], [2, tasks]);
});

Deno.test("Semaphore gives no turn to a task that has been given up, and keeps its place for the next", async () => {
  const turns = new Semaphore(1);
  const { signal } = new AbortController();
  const first = await turns.take(signal);
  const abort = new AbortController();
  const givenUp = turns.take(abort.signal);
  const next = turns.take(signal);
  assertEquals(turns.waiting, 2);
  abort.abort(new RangeError("given up"));
  await assertRejects(() => givenUp, RangeError);
  await assertRejects(() => turns.take(abort.signal), RangeError);
  first[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  (await turns.take(signal))[Symbol.dispose]();
});
