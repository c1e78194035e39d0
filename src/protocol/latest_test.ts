import { assert, assertEquals } from "../../deps/assert.ts";
import { Latest } from "./latest.ts";
import { Queue } from "./channel.ts";

Deno.test("Latest passes the first at once, and later the latest of each name", async () => {
  const passed = new Queue<string>();
  const latest = new Latest<string>(5, (item) => passed.push(item));
  latest.push("a", "a1");
  assertEquals(await passed.next(), "a1");
  for (const item of ["a2", "b1", "a3", "b2"]) {
    latest.push(item.charAt(0), item);
  }
  assertEquals([await passed.next(), await passed.next()], ["a3", "b2"]);
  latest.push("a", "a4");
  assertEquals(await passed.next(), "a4");
  latest.flush();
});

Deno.test("Latest holds an item back for its time", async () => {
  const passed = new Queue<number>();
  const latest = new Latest<number>(30, () => passed.push(performance.now()));
  latest.push("a", 1);
  latest.push("a", 2);
  const [first, second] = [await passed.next(), await passed.next()];
  // Timers of some systems are a millisecond early.
  assert(second - first >= 28, `${second - first} ms`);
  latest.flush();
});

Deno.test("Latest holds back no more names than it may", () => {
  const passed: number[] = [];
  const latest = new Latest<number>(60_000, (item) => passed.push(item));
  for (let name = 0; name < 1000; name++) latest.push(`${name}`, name);
  latest.push("1", 1001);
  latest.flush();
  assertEquals(passed, [
    0,
    1001,
    ...Array.from({ length: 15 }, (_, i) => i + 2),
  ]);
});
