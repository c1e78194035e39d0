import { assert, assertEquals } from "../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  integer,
  property,
  tuple,
} from "../deps/fast_check.ts";
import { ASKING_MS, type Item, type Rest, Share, UNKNOWN } from "./shares.ts";

interface Named extends Item {
  name: string;
  isUsed: boolean;
}

function openShare(total: number) {
  let now = 0;
  const gone: string[] = [];
  const share = new Share(total, () => now);
  let count = 0;
  const make = (caller: string, amount = 1, rest: Rest = "used"): Named => {
    const item: Named = {
      ...{ caller, amount, name: `${caller}${++count}`, isUsed: false },
      rest: () => rest,
      giveWay: () => void gone.push(item.name),
    };
    return item;
  };
  const take = (caller: string, rest?: Rest, amount = 1) =>
    share.take(make(caller, amount, rest));
  const fill = (caller: string, rest?: Rest) => {
    let taken = 0;
    while (taken < 50 && take(caller, rest)) taken++;
    return taken;
  };
  return { share, make, take, fill, gone, wait: (ms: number) => now += ms };
}

Deno.test("a caller alone may have all of a resource", () => {
  const { fill, share } = openShare(10);
  assertEquals(fill("a"), 10);
  assertEquals(share.status, {
    ...{ used: 10, total: 10, callers: 1, refused: 1, gaveWay: 0 },
  });
});

Deno.test("no caller gets more than half while another asks", () => {
  const { take, fill, wait, share } = openShare(10);
  take("b");
  assertEquals(fill("a"), 5);
  assertEquals(fill("b"), 4);
  for (const item of [...share.items].slice(0, 9)) share.drop(item);
  wait(ASKING_MS);
  assertEquals(fill("c"), 9);
});

Deno.test("a caller that uses what it has keeps half, however long ago it asked", () => {
  for (const isUsing of [true, false]) {
    const { share, make, fill, gone, wait } = openShare(4);
    const own = make("a", 1, "idle");
    assert(share.take(own));
    wait(ASKING_MS + 1);
    if (isUsing) share.touch(own);
    assertEquals(fill("b"), isUsing ? 2 : 4);
    assertEquals(gone, isUsing ? [] : [own.name]);
  }
});

Deno.test("the idle item of the caller that has most gives way, the oldest first", () => {
  const { take, gone } = openShare(6);
  for (const caller of ["b", "a", "a", "a", "a", "b"]) take(caller, "idle");
  assert(take("c", "idle"));
  assertEquals(gone, ["a2"]);
  assert(take("c", "idle"));
  assertEquals(gone, ["a2", "a3"]);
});

Deno.test("what is used stays, also that of the caller that has most", () => {
  const { share, take, gone } = openShare(6);
  for (let count = 0; count < 4; count++) take("a");
  take("b", "idle");
  take("b");
  assert(take("c"));
  assertEquals(gone, ["b5"]);
  assertEquals(take("c"), false);
  const owed = [...share.items].filter((item) => share.isOwed(item));
  assertEquals(owed.map(({ caller }) => caller), ["a"]);
  const [first] = share.items;
  if (first) share.drop(first);
  assertEquals(take("a"), false);
  assert(take("c"));
});

Deno.test("what is owed to callers that found no room is owed whoever asks then", () => {
  const { share, take } = openShare(4);
  for (let count = 0; count < 4; count++) take("a");
  assertEquals([take("b"), take("c")], [false, false]);
  for (const caller of ["d", "e", "a"]) share.ask(caller);
  const [first] = share.items;
  assert(first && share.owes(first));
  const owed = () => [...share.items].filter((item) => share.isOwed(item));
  assertEquals([owed().length, share.owes(first)], [2, false]);
  assertEquals(take("b"), false);
  share.drop(first);
  assert(take("b"));
  assertEquals(owed(), []);
});

Deno.test("a caller is owed nothing for its own half", () => {
  const { share, take } = openShare(4);
  for (const caller of ["b", "a", "a", "b"]) take(caller);
  assertEquals(take("b"), false);
  for (const item of share.items) assertEquals(share.owes(item), false);
});

Deno.test("a caller that would have more than half while another asks takes from itself alone", () => {
  const { take, gone, wait } = openShare(4);
  take("b", "idle");
  for (let count = 0; count < 2; count++) take("a");
  take("b", "idle");
  assertEquals(take("a"), false);
  assertEquals(gone, []);
  wait(ASKING_MS);
  assert(take("a"));
  assertEquals(gone, ["b1"]);
});

Deno.test("an item on which a client listens goes if none is idle", () => {
  const { take, gone } = openShare(3);
  for (const rest of ["listening", "idle", "used"] as const) take("a", rest);
  take("b", "used");
  take("b", "used");
  assertEquals(gone, ["a2", "a1"]);
});

Deno.test("items without a caller go first, and keep nothing from others", () => {
  const { share, make, take, gone, fill } = openShare(4);
  const some = make(UNKNOWN, 1, "idle");
  assert(share.take(some));
  assertEquals(fill("a", "idle"), 50);
  assertEquals(gone[0], "1");
  const other = make(UNKNOWN, 1, "idle");
  assert(share.take(other));
  assert(share.move(other, "b"));
  assertEquals([other.caller, share.status.callers], ["b", 2]);
  take("b", "idle");
  assertEquals(share.status.used, 4);
});

Deno.test("an item that gets smaller gives way in part", () => {
  const share = new Share(100);
  const large: Item = {
    ...{ caller: "a", amount: 80, rest: () => "idle" },
    giveWay: () => share.measure(large, large.amount - 30),
  };
  assert(share.take(large));
  assert(share.take({ caller: "b", amount: 40 }));
  assertEquals([large.amount, share.status.used], [50, 90]);
  const measured = { caller: "c", amount: 0 };
  share.hold(measured);
  share.measure(measured, 70);
  assertEquals(share.excess(), large);
});

Deno.test("whatever callers do, no resource is given twice, and each can have its share", () => {
  const step = tuple(
    constantFrom("a", "b", "c", UNKNOWN),
    integer({ min: 1, max: 6 }),
    constantFrom<Rest[]>("idle", "listening", "used"),
    constantFrom(true, false),
  );
  assertProperty(property(array(step), (steps) => {
    const { share, make } = openShare(12);
    for (const [caller, amount, rest, drop] of steps) {
      const [oldest] = share.items;
      if (drop && oldest) share.drop(oldest);
      const before = share.status.used;
      const item = make(caller, amount, rest);
      const isTaken = share.take(item);
      const sums = [...share.items].reduce((sum, one) => sum + one.amount, 0);
      assertEquals(share.status.used, sums);
      assert(sums <= 12);
      assertEquals(share.items.has(item), isTaken);
      if (before === 0) assert(isTaken);
    }
  }));
});
