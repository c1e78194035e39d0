import { MIB } from "../units.ts";
import { REQUEST, SETUP } from "../../test/support/request.ts";
import type { RunLimits } from "../protocol/run_limits.ts";
import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import type { Ending } from "../protocol/run_messages.ts";
import { RunClock } from "../protocol/run_clock.ts";
import type { Interpreter } from "../engines/engine.ts";
import { Guard } from "./guard.ts";
import { type RunControl, runWithin } from "./run_within_limits.ts";

const SUCCESS: Ending = { status: "success", value: "1" };
/** An interpreter that does as its test says. */
interface Trial {
  /** Its run: `look` is called for each of its words. */
  run(look: () => void, interrupted: () => boolean): Promise<Ending>;
  grownMiB?: () => number;
  cpuSeconds?: () => number;
  limits?: Partial<RunLimits & RunControl>;
  timeoutMs?: number;
  isDeaf?: boolean;
}

async function tryRun(
  {
    run,
    grownMiB = () => 0,
    cpuSeconds = () => 0,
    limits,
    timeoutMs,
    isDeaf = false,
  }: Trial,
) {
  let interrupts = 0;
  let givenUp = 0;
  using guard = new Guard();
  const interpreter: Interpreter = {
    run: () => run(() => guard.look(), () => interrupts > 0),
    save: () => Promise.resolve(undefined),
    answer() {},
    interrupt: () => void interrupts++,
    interruptTasks() {},
    isDeaf: () => isDeaf,
    end: () => Promise.resolve(true),
  };
  const ending = await runWithin(
    {
      ...{ memoryMiB: 100, maxFilesMiB: 10, guard },
      meter: {
        grownBytes: () => grownMiB() * MIB,
        heldMiB: () => 0,
        rebase() {},
        cpuSeconds,
        measure: () => () => ({ memoryMiB: 0 }),
      },
      reached: new Set(),
      clock: new RunClock(),
      setup: SETUP,
      cancelled: new AbortController().signal,
      onGivenUp: () => void givenUp++,
      ...limits,
    },
    interpreter,
    { request: { ...REQUEST, timeoutMs: timeoutMs ?? 20 } },
    () => Promise.resolve(),
  );
  return { ...ending, interrupts, givenUp };
}

const never = () => new Promise<Ending>(() => {});
const LONG_MS = 60_000;
const later = () => new Promise((resolve) => setTimeout(resolve, 40));

Deno.test("runWithin() judges time at each word, though no timer ever rings", async () => {
  const { status, interrupts, givenUp } = await tryRun({
    run(look, interrupted) {
      // The loop on which timers run stands still.
      for (const start = Date.now(); Date.now() - start < 1000;) {
        look();
        if (interrupted()) break;
      }
      return Promise.resolve(SUCCESS);
    },
  });
  assertEquals([status, interrupts, givenUp], ["timeout", 1, 0]);
});

/** A clock whose time a test moves, and a limit for its waits. */
function openClock(waitMs: number) {
  let now = 0;
  const clock = new RunClock({ waitMs, now: () => now });
  const hostCalls = { count: 1, size: 1, timeoutMs: 1, waitMs };
  return {
    clock,
    limits: { clock, setup: { hostCalls } },
    pass: (ms: number) => void (now += ms),
  };
}

Deno.test("runWithin() lets the time stand while a call waits, and judges it after that", async () => {
  const { clock, limits, pass } = openClock(LONG_MS);
  const { status, interrupts } = await tryRun({
    limits,
    timeoutMs: 20,
    async run(look, interrupted) {
      clock.stand(1);
      pass(LONG_MS - 1);
      await later();
      look();
      assertEquals(interrupted(), false);
      clock.goOn(1);
      pass(20);
      await later();
      look();
      assertEquals(interrupted(), true);
      return SUCCESS;
    },
  });
  assertEquals([status, interrupts], ["timeout", 1]);
});

Deno.test("runWithin() stops a run whose call waits for longer than calls may, and names both limits", async () => {
  const { clock, limits, pass } = openClock(5000);
  const ended = await tryRun({
    limits,
    timeoutMs: 20,
    async run(look, interrupted) {
      clock.stand(1);
      pass(5019);
      await later();
      look();
      assertEquals(interrupted(), false);
      pass(1);
      await later();
      look();
      return SUCCESS;
    },
  });
  assertMatch(
    JSON.stringify(ended),
    /after 0\.02 s, its time limit, and 5 s in which its calls waited\. Allow more with .*--timeout\./,
  );
});

Deno.test("runWithin() judges CPU time while a call waits", async () => {
  const { clock, limits } = openClock(LONG_MS);
  clock.stand(1);
  const { status } = await tryRun({
    cpuSeconds: (() => {
      let seconds = 0;
      return () => seconds++;
    })(),
    limits: { ...limits, cpuSeconds: 3 },
    timeoutMs: LONG_MS,
    run: never,
  });
  assertEquals(status, "timeout");
});

Deno.test("runWithin() tells the limit of memory, also in the place of a message that is empty", async () => {
  const told = (facts: object) =>
    tryRun({
      run: () =>
        Promise.resolve({ status: "memory-limit", error: "", ...facts }),
    });
  const ending = await told({ errorMessage: "" });
  assert(ending.status === "memory-limit");
  assertMatch(ending.error, /^Python ran out of memory: .* is 100 MiB\. /);
  assertEquals(ending.errorMessage, ending.error);
  const own = await told({ errorMessage: "8 GiB" });
  assert(own.status === "memory-limit");
  assertMatch(own.error, /^Python ran out of memory \(8 GiB\): /);
  assertEquals(own.errorMessage, "8 GiB");
});

Deno.test("runWithin() judges memory at each word, to the byte", async () => {
  // What a run may take beside its memory and files.
  const most = 100 + 10 + 512;
  let grown = most;
  const { status, givenUp } = await tryRun({
    grownMiB: () => grown,
    timeoutMs: LONG_MS,
    async run(look) {
      await later();
      look();
      grown += 1 / MIB;
      look();
      await later();
      return SUCCESS;
    },
  });
  assertEquals([status, givenUp], ["memory-limit", 1]);
  const within = await tryRun({
    grownMiB: () => most,
    timeoutMs: LONG_MS,
    run: () =>
      new Promise((resolve) => setTimeout(() => resolve(SUCCESS), 100)),
  });
  assertEquals(within.status, "success");
});

Deno.test("runWithin() judges CPU time", async () => {
  const { status, interrupts } = await tryRun({
    cpuSeconds: (() => {
      let seconds = 100;
      return () => seconds++;
    })(),
    limits: { cpuSeconds: 3 },
    timeoutMs: LONG_MS,
    run: never,
  });
  assertEquals([status, interrupts], ["timeout", 1]);
});

Deno.test("runWithin() gives code that does not react two seconds, and a cancelled one half of one", async () => {
  for (const isCancelled of [false, true]) {
    const cancel = new AbortController();
    if (isCancelled) cancel.abort();
    const started = performance.now();
    const ended = await tryRun({
      run: never,
      limits: { cancelled: cancel.signal },
    });
    const took = performance.now() - started;
    assertEquals(ended.status, isCancelled ? "cancelled" : "timeout");
    if (!isCancelled) assertMatch(JSON.stringify(ended), /did not react/);
    // No less; how much more is the machine's.
    assertEquals(took >= (isCancelled ? 500 : 2000), true, `${took}`);
    assertEquals([ended.interrupts, ended.givenUp], [1, 1]);
  }
});

Deno.test("runWithin() interrupts code that may go on, and gives it up if it is deaf", async () => {
  const limits = { interrupted: AbortSignal.abort() };
  const hearing = await tryRun({
    run: (_, interrupted) =>
      Promise.resolve().then(() => {
        assertEquals(interrupted(), true);
        return SUCCESS;
      }),
    limits,
  });
  assertEquals([hearing.status, hearing.interrupts], ["success", 1]);
  const started = performance.now();
  const deaf = await tryRun({
    ...{ run: never, limits, isDeaf: true, timeoutMs: LONG_MS },
  });
  assertEquals([deaf.status, deaf.givenUp], ["cancelled", 1]);
  assertEquals(performance.now() - started >= 2000, true);
});

Deno.test("runWithin() takes what comes back in time", async () => {
  const { status, interrupts, givenUp } = await tryRun({
    run: () => Promise.resolve(SUCCESS),
  });
  assertEquals([status, interrupts, givenUp], ["success", 0, 0]);
});

Deno.test("Guard looks at once for a word, and not for each of a flood", () => {
  using guard = new Guard();
  let looks = 0;
  using _check = guard.add(() => void looks++);
  guard.look();
  assertEquals(looks, 1);
  for (let word = 0; word < 100_000; word++) guard.look();
  assertEquals(looks < 50_000, true, `${looks}`);
});

Deno.test("Guard looks less and less often while all checks are calm", async () => {
  using calm = new Guard();
  using uneasy = new Guard();
  const looks = { calm: 0, uneasy: 0, calmOfUneasy: 0 };
  using _uneasy = uneasy.add(() => void looks.uneasy++);
  using _calmOfUneasy = uneasy.add(() => ++looks.calmOfUneasy > 0);
  await new Promise<void>((resolve) => {
    calm.add(() => {
      if (++looks.calm === 6) resolve();
      return true;
    });
  });
  assertEquals(looks.calmOfUneasy, looks.uneasy);
  assertEquals(looks.uneasy > 2 * looks.calm, true, JSON.stringify(looks));
});
