import { assertEquals } from "../../deps/assert.ts";
import type { BackgroundUse } from "../protocol/sandbox_messages.ts";
import { MIB } from "../units.ts";
import { Background } from "./background.ts";

/** Tasks that take what the test says, and the looks at them. */
function open(limit = 60) {
  const told: BackgroundUse[] = [];
  const heard: string[] = [];
  const machine = { now: 0, cpu: 1, grownMiB: 0 };
  const background = new Background({
    meter: {
      grownBytes: () => machine.grownMiB * MIB,
      cpuSeconds: () => machine.cpu,
    },
    cpuSeconds: limit,
    tell: (use) => told.push(use),
    interrupt: () => heard.push("interrupt"),
    giveUp: () => heard.push("given up"),
    now: () => machine.now,
  });
  /** Some time goes by, in which they take so much. */
  const pass = (ms: number, { cpu = 0, grownMiB = machine.grownMiB } = {}) => {
    machine.now += ms;
    machine.cpu += cpu;
    machine.grownMiB = grownMiB;
  };
  return { background, told, heard, pass };
}

Deno.test("Background tells of memory that has changed much, and not more often than once in a second", () => {
  const { background, told, pass } = open();
  const look = background.watch(20);
  const sizes = () => told.map(({ memoryMiB }) => memoryMiB);
  const grow = (grownMiB: number, ms: number) => {
    pass(ms, { grownMiB });
    return look();
  };
  assertEquals(grow(20, 25), false);
  assertEquals([grow(20, 25), sizes()], [true, []]);
  assertEquals([grow(27, 1000), sizes()], [false, []]);
  assertEquals([grow(28, 1000), sizes()], [false, [28]]);
  grow(90, 999);
  assertEquals(sizes(), [28]);
  grow(91, 1);
  assertEquals(sizes(), [28, 91]);
  // It is given back, too.
  grow(3, 1000);
  assertEquals(sizes(), [28, 91, 3]);
});

Deno.test("Background tells of CPU time beyond that of its own looks, and not of the time between them", () => {
  const { background, told, pass } = open();
  let look = background.watch(0);
  for (let second = 0; second < 100; second++) {
    pass(1000, { cpu: 0.05 });
    look();
  }
  assertEquals(told, []);
  // A look into the session is not its tasks' doing.
  pass(1000, { cpu: 10 });
  look = background.watch(0);
  pass(1000, { cpu: 1.06 });
  look();
  assertEquals(told, [{ memoryMiB: 0, cpuSeconds: 1, interrupts: 0 }]);
});

Deno.test("Background tells soon that tasks compute, and then of each second", () => {
  const { background, told, pass } = open();
  const look = background.watch(0);
  for (let at = 0; at < 30; at++) {
    pass(100, { cpu: 0.1 });
    look();
  }
  const seconds = told.map(({ cpuSeconds }) => cpuSeconds);
  assertEquals(seconds, [0.1, 1.1, 2.1]);
  // They may take memory before.
  const other = open();
  const lookNow = other.background.watch(0);
  for (let at = 1; at <= 10; at++) {
    other.pass(25, { cpu: 0.025, grownMiB: 10 * at });
    lookNow();
  }
  const firsts = other.told.map(({ cpuSeconds }) => cpuSeconds);
  assertEquals(firsts, [0, 0.1]);
});

Deno.test("Background tells of an interrupt, which may be the last news", () => {
  const { background, told, pass } = open(1);
  const look = background.watch(0);
  for (let at = 0; at < 11; at++) {
    pass(100, { cpu: 0.1 });
    look();
  }
  assertEquals(told.map(({ interrupts }) => interrupts), [0, 1]);
});

Deno.test("Background interrupts tasks that have used up their CPU time, a few times, and then gives up", () => {
  const { background, told, heard, pass } = open(10);
  const look = background.watch(0);
  const compute = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      pass(1000, { cpu: 1.05 });
      look();
    }
    return heard;
  };
  assertEquals(compute(10), []);
  assertEquals(compute(1), ["interrupt"]);
  assertEquals(told.at(-1)?.interrupts, 1);
  const five = Array(5).fill("interrupt");
  assertEquals(compute(4), five);
  assertEquals(compute(10), [...five, "given up"]);
});
