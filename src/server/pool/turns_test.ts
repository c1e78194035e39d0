import { assertEquals } from "../../../deps/assert.ts";
import { Queue } from "../../protocol/channel.ts";
import { FairQueue, Slots } from "./turns.ts";

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  while (queue.size > 0) items.push(String(queue.shift()));
  return items;
}

Deno.test("FairQueue gives each client its turn, and each its own order", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) {
    queue.push([item.slice(0, 1)], item);
  }
  assertEquals(drain(queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assertEquals(queue.shift(), undefined);
});

Deno.test("FairQueue gives a caller of many connections one turn, and these their own", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1x", "a1y", "a2", "a3", "b1", "b2"]) {
    queue.push([item.slice(0, 1), item.slice(0, 2)], item);
  }
  assertEquals(drain(queue), ["a1x", "b1", "a2", "b2", "a3", "a1y"]);
});

Deno.test("FairQueue lets go of an item that no longer waits", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) queue.push([item.slice(0, 1)], item);
  queue.remove("a1");
  queue.remove("b1");
  queue.remove("never there");
  assertEquals(queue.size, 1);
  assertEquals(drain(queue), ["a2"]);
});

Deno.test("Slots gives out as many as there are, and calls those that found none in their order", async () => {
  const slots = new Slots(2);
  const called = new Queue<string>();
  const take = (name: string): boolean =>
    slots.take(
      retries[name] ??= () => {
        called.push(`${name}: ${take(name)}`);
      },
    );
  const retries: Record<string, () => void> = {};
  assertEquals(["a", "b", "c", "d", "c"].map(take), [
    ...[true, true, false, false, false],
  ]);
  assertEquals(slots.free, 0);
  slots.give();
  assertEquals(await called.next(), "c: true");
  slots.give();
  slots.give();
  assertEquals(await called.next(), "d: true");
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(slots.free, 1);
});

Deno.test("Slots calls the next if the first has no use for a slot", async () => {
  const slots = new Slots(1);
  const called = new Queue<string>();
  slots.take(() => {});
  slots.take(() => called.push("first"));
  slots.take(() => called.push("second"));
  slots.give();
  assertEquals([await called.next(), await called.next()], ["first", "second"]);
});
