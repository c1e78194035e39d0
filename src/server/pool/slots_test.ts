import { assertEquals } from "../../../deps/assert.ts";
import { Queue } from "../../protocol/queue.ts";
import { Slots } from "./slots.ts";

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
