import { assert, assertEquals } from "../../../../../deps/assert.ts";
import { ReadingTurns } from "./held_bodies.ts";

Deno.test("ReadingTurns has each caller pause after its readings, and no other", async () => {
  const pauses: { ms: number; end: () => void }[] = [];
  const turns = new ReadingTurns((ms) =>
    new Promise((end) => pauses.push({ ms, end }))
  );
  const read: string[] = [];
  const take = (caller: string, name: string) =>
    turns.take(caller, () => {
      const started = performance.now();
      while (performance.now() < started + 5);
      return read.push(name);
    });
  const all = ["a1", "a2", "b1"].map((name) => take(name.slice(0, 1), name));
  await all[0];
  assertEquals([await all[2], read], [2, ["a1", "b1"]]);
  assert((pauses[0]?.ms ?? 0) >= 10);
  pauses[0]?.end();
  assertEquals([await all[1], read.at(-1)], [3, "a2"]);
});

Deno.test("ReadingTurns goes on after a reading that fails", async () => {
  const turns = new ReadingTurns(() => Promise.resolve());
  const failing = turns.take("a", () => {
    throw new RangeError("wrong");
  });
  const next = turns.take("a", () => "read");
  assertEquals(await failing.catch(({ message }) => message), "wrong");
  assertEquals(await next, "read");
});
