import { assertEquals } from "../../../deps/assert.ts";
import { Queue } from "../../protocol/channel.ts";
import { Share } from "../../shares.ts";
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
  const taken = ["a1", "b1", "never there"].map((item) => queue.take(item));
  assertEquals(taken, [true, true, false]);
  assertEquals(queue.size, 1);
  assertEquals(drain(queue), ["a2"]);
});

Deno.test("FairQueue passes over items that may not go, and leaves them their turn", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "b1", "b2", "a2"]) {
    queue.push([item.slice(0, 1)], item);
  }
  const next = queue.next((item) => item.endsWith("2"));
  assertEquals([next, queue.take("b2"), [...queue].sort()], ["a2", true, [
    ...["a1", "a2", "b1"],
  ]]);
  assertEquals(drain(queue), ["a1", "b1", "a2"]);
  assertEquals(queue.next(), undefined);
});

Deno.test("Slots calls pools that wait for a slot in their order", async () => {
  const slots = new Slots(new Share(2));
  const called = new Queue<string>();
  const [one] = [slots.take("a"), slots.take("b")];
  assertEquals([slots.free, slots.isFreeFor("c")], [0, false]);
  for (const name of ["first", "second"]) {
    slots.wait(() => {
      called.push(name);
      if (name === "second") slots.take("c");
    });
  }
  const third = () => called.push("third");
  slots.wait(third);
  slots.give(one);
  assertEquals([await called.next(), await called.next()], ["first", "second"]);
  const slot = slots.take("d");
  slots.give(slot);
  slots.give({ ...slot });
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(slots.free, 0);
});

Deno.test("Slots leaves half of the runs to callers that wait", () => {
  const slots = new Slots(new Share(4));
  slots.ask("a");
  for (let count = 0; count < 2; count++) slots.take("a");
  assertEquals(slots.isFreeFor("a"), true);
  slots.ask("b");
  assertEquals([slots.isFreeFor("a"), slots.isFreeFor("b")], [false, true]);
});
