import { assertEquals } from "../../../deps/assert.ts";
import { FairQueue } from "./fair_queue.ts";

function drain(queue: FairQueue<string>): string[] {
  const items: string[] = [];
  while (queue.size > 0) items.push(String(queue.shift()));
  return items;
}

Deno.test("FairQueue gives each client its turn, and each its own order", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) {
    queue.push(item.slice(0, 1), item);
  }
  assertEquals(drain(queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assertEquals(queue.shift(), undefined);
});

Deno.test("FairQueue lets go of an item that no longer waits", () => {
  const queue = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) queue.push(item.slice(0, 1), item);
  queue.remove("a1");
  queue.remove("b1");
  queue.remove("never there");
  assertEquals(queue.size, 1);
  assertEquals(drain(queue), ["a2"]);
});
