import { assert, assertEquals } from "../../deps/assert.ts";
import { PacedWork } from "./one_at_a_time.ts";

Deno.test("PacedWork has each caller pause after its work, and no other", async () => {
  const pauses: { ms: number; end: () => void }[] = [];
  const work = new PacedWork((ms) =>
    new Promise((end) => pauses.push({ ms, end }))
  );
  const read: string[] = [];
  const take = (caller: string, name: string) =>
    work.do(caller, () => {
      const started = performance.now();
      while (performance.now() < started + 5);
      return read.push(name);
    });
  const all = ["a1", "a2", "b1"].map((name) => take(name.slice(0, 1), name));
  await all[0];
  assertEquals([await all[2], read], [2, ["a1", "b1"]]);
  for (let turn = 0; turn < 1000 && pauses.length === 0; turn++) {
    await new Promise((go) => setTimeout(go));
  }
  assert((pauses[0]?.ms ?? 0) >= 5);
  pauses[0]?.end();
  assertEquals([await all[1], read.at(-1)], [3, "a2"]);
});

Deno.test("PacedWork goes on after work that fails", async () => {
  const work = new PacedWork(() => Promise.resolve());
  const failing = work.do("a", () => {
    throw new RangeError("wrong");
  });
  const next = work.do("a", () => "read");
  assertEquals(await failing.catch(({ message }) => message), "wrong");
  assertEquals(await next, "read");
});
