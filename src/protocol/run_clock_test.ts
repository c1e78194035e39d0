import { assert, assertEquals } from "../../deps/assert.ts";
import {
  array,
  assertProperty,
  constantFrom,
  nat,
  property,
  tuple,
} from "../../deps/fast_check.ts";
import { RunClock } from "./run_clock.ts";

/** A clock whose time the test moves. */
function open(waitMs?: number, eachMs = 0) {
  let now = 1000;
  const clock = new RunClock({ waitMs, eachMs, now: () => now });
  return { clock, pass: (ms: number) => void (now += ms) };
}

Deno.test("RunClock stands while a call waits, and goes on with its answer", () => {
  const { clock, pass } = open(1000);
  pass(5);
  clock.stand(1);
  pass(100);
  assertEquals(clock.usedMs, 5);
  clock.goOn(1);
  pass(7);
  assertEquals(clock.usedMs, 12);
});

Deno.test("RunClock counts the time of calls that wait together once, until the last has its answer", () => {
  const { clock, pass } = open(1000);
  clock.stand(1);
  pass(10);
  clock.stand(2);
  pass(10);
  clock.goOn(1);
  pass(10);
  assertEquals(clock.usedMs, 0);
  clock.goOn(2);
  pass(3);
  assertEquals(clock.usedMs, 3);
});

Deno.test("RunClock gives a call that is never answered so much time, and no more", () => {
  const { clock, pass } = open(100);
  clock.stand(1);
  pass(99);
  assertEquals([clock.usedMs, clock.isOutOfWait], [0, false]);
  pass(1);
  assertEquals([clock.usedMs, clock.isOutOfWait], [0, true]);
  pass(50);
  assertEquals(clock.usedMs, 50);
  clock.goOn(1);
  clock.stand(2);
  pass(50);
  assertEquals(clock.usedMs, 100);
});

Deno.test("RunClock hears of an id once, and of unknown ids not at all", () => {
  const { clock, pass } = open(1000, 10);
  clock.goOn(1);
  clock.stand(1);
  clock.stand(1);
  pass(20);
  clock.goOn(2);
  pass(20);
  assertEquals(clock.usedMs, 0);
  clock.goOn(1);
  clock.goOn(1);
  pass(60);
  assertEquals(clock.usedMs, 50);
});

Deno.test("RunClock without time for calls never stands", () => {
  for (const waitMs of [undefined, 0]) {
    const { clock, pass } = open(waitMs, 50);
    clock.stand(1);
    pass(10);
    clock.goOn(1);
    pass(10);
    assertEquals([clock.usedMs, clock.isOutOfWait], [20, false]);
  }
});

Deno.test("RunClock gives a run no more than its calls may wait, whatever the guest asks", () => {
  const step = tuple(constantFrom("stand", "goOn"), nat(3), nat(50));
  assertProperty(property(array(step), nat(200), (steps, waitMs) => {
    const { clock, pass } = open(waitMs, 1);
    let all = 0;
    for (const [deed, id, ms] of steps) {
      if (deed === "stand") clock.stand(id);
      else clock.goOn(id);
      pass(ms);
      all += ms;
      assert(clock.usedMs >= all - waitMs && clock.usedMs <= all);
    }
  }));
});
