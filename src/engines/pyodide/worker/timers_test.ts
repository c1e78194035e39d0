import { assertEquals } from "../../../../deps/assert.ts";
import { closeTimers } from "./timers.ts";

type Callback = (this: unknown, ...args: unknown[]) => void;
type Start = (callback: Callback, ...rest: unknown[]) => unknown;

/** The timers that Python finds; Deno's timers return when it is disposed. */
function closed() {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  closeTimers();
  const found = (name: string): Start => Reflect.get(globalThis, name);
  return {
    setTimeout: found("setTimeout"),
    setInterval: found("setInterval"),
    clear: found("clearTimeout"),
    [Symbol.dispose]() {
      Object.assign(globalThis, {
        ...{ setTimeout, setInterval, clearTimeout, clearInterval },
      });
    },
  };
}

/** The arguments of a timer's callback, and the timer's id. */
async function ring(start: Start, ...rest: unknown[]) {
  const called = Promise.withResolvers<[self: unknown, given: unknown[]]>();
  const id = start(function (...given) {
    called.resolve([this, given]);
  }, ...rest);
  return { id, called: await called.promise };
}

Deno.test("closeTimers() gives callbacks what code has given, and nothing of Deno's", async () => {
  using timers = closed();
  const once = await ring(timers.setTimeout, 1, "a", "b");
  assertEquals(once.called, [undefined, ["a", "b"]]);
  const often = await ring(timers.setInterval);
  Reflect.apply(timers.clear, undefined, [often.id]);
  assertEquals(often.called, [undefined, []]);
  assertEquals([typeof once.id, typeof often.id], ["number", "number"]);
});

Deno.test("closeTimers() takes no delay that Deno would warn of, or ask for its number", async () => {
  using timers = closed();
  const early: unknown[] = [];
  // Deno turns a delay beyond its limit into 1 ms.
  const ids = [2 ** 31, 2 ** 40, Infinity].map((delay) =>
    timers.setTimeout(() => early.push(delay), delay)
  );
  const odd = {
    [Symbol.toPrimitive]() {
      early.push("asked");
      return 0;
    },
  };
  for (const delay of [odd, "1", -1, NaN, undefined, 10n]) {
    await ring(timers.setTimeout, delay);
  }
  assertEquals(early, []);
  for (const id of ids) Reflect.apply(timers.clear, undefined, [id]);
});

Deno.test("closeTimers() stops no timer but its own", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const deno = setTimeout(resolve, 1);
  {
    using timers = closed();
    // The timer's number, and the timer.
    for (const id of [Number(deno), deno]) {
      Reflect.apply(timers.clear, undefined, [id]);
    }
  }
  await promise;
});
