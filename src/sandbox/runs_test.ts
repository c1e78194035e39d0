import { assert, assertEquals } from "../../deps/assert.ts";
import { REQUEST, SETUP as SMALL } from "../../test/support/request.ts";
import {
  LONGEST_SUMMARY,
  longestValue,
  MOST_OUTPUT,
  NOTE_CHARS,
} from "../protocol/bounds.ts";
import type { Ending, RunMessage } from "../protocol/run_messages.ts";
import type { FromSandbox } from "../protocol/sandbox_messages.ts";
import { RunClock } from "../protocol/run_clock.ts";
import type { RunSetup } from "../protocol/run_setup.ts";
import type { Interpreter, OnMessage } from "../engines/engine.ts";
import { Guard } from "./guard.ts";
import type { Meter } from "./meter.ts";
import { serveRun } from "./runs.ts";

const SETUP: RunSetup = {
  ...SMALL,
  maxOutput: 100,
  hostCalls: { count: 1, size: 100, timeoutMs: 1000 },
  images: { count: 1, size: 100, total: 100 },
  pages: { count: 1, size: 100, total: 100 },
};
/** So much may a value have: room for what is cut, and escaped. */
const LONGEST_VALUE = (4 * 100 + 1000) * 6;

const NO_METER: Meter = {
  cpuSeconds: () => 0,
  grownBytes: () => 0,
  heldMiB: () => 0,
  rebase() {},
  measure: () => () => ({ memoryMiB: 0 }),
};

/** An interpreter whose Python has replaced all that it could. */
function liar(tell: (send: OnMessage) => Promise<Ending>): Interpreter {
  return {
    run: (_run, onMessage) => tell(onMessage),
    save: () => Promise.resolve(undefined),
    answer() {},
    interrupt() {},
    interruptTasks() {},
    isDeaf: () => false,
    end: () => Promise.resolve(true),
  };
}

interface Trial {
  setup?: RunSetup;
  isKept?: boolean;
  isCancelled?: boolean;
}

/** The messages that its process sends to the server, in order. */
async function serve(
  tell: (send: OnMessage) => Promise<Ending>,
  { setup = SETUP, isKept = false, isCancelled = false }: Trial = {},
) {
  const sent: FromSandbox[] = [];
  let givenUp = 0;
  using guard = new Guard();
  const after = await serveRun(
    liar(tell),
    { id: 7, request: REQUEST, isKept },
    (message) => Promise.resolve(void sent.push(message)),
    {
      ...{ memoryMiB: 1, maxFilesMiB: 1, guard, setup },
      onGivenUp: () => void givenUp++,
      meter: NO_METER,
      clock: new RunClock(),
      reached: new Set(),
      cancelled: isCancelled
        ? AbortSignal.abort()
        : new AbortController().signal,
    },
  );
  return { sent, givenUp, ...after };
}

async function endingOf(ending: Ending, trial?: Trial) {
  const { sent, ...after } = await serve(() => Promise.resolve(ending), trial);
  const [done, ...more] = sent;
  assert(done?.type === "done" && more.length === 0);
  assertEquals([done.run, done.printed], [7, 0]);
  assertEquals(done.isKept, after.isKept);
  return { ...done, ...after };
}

Deno.test("serveRun() passes a value on that is as long as it may be, and none beyond", async () => {
  const longest = "1".repeat(LONGEST_VALUE);
  const passed = await endingOf({ status: "success", value: longest });
  assertEquals(passed.ending, { status: "success", value: longest });
  const refused = await endingOf({ status: "success", value: `${longest}1` });
  assertEquals(refused.ending, {
    status: "crashed",
    error: "The sandbox sent a larger value than it may.",
  });
  const unbounded = { setup: { ...SETUP, maxOutput: null } };
  const value = "1".repeat(longestValue(MOST_OUTPUT) + 1);
  const { ending } = await endingOf({ status: "success", value }, unbounded);
  assertEquals(ending.status, "crashed");
});

Deno.test("serveRun() cuts the text of a table", async () => {
  const ending = { status: "success", value: "[]" } as const;
  for (const [length, most] of [[100, 100], [10_000, 100 + NOTE_CHARS]]) {
    const shown = "t".repeat(length ?? 0);
    const { shown: passed } = Object(
      (await endingOf({ ...ending, shown })).ending,
    );
    assert(passed.startsWith("ttt") && passed.length <= (most ?? 0));
    assertEquals(passed === shown, length === 100);
  }
});

Deno.test("serveRun() passes no summary that is longer than its bound", async () => {
  const ending = { status: "success", value: "[]" } as const;
  for (const length of [LONGEST_SUMMARY, LONGEST_SUMMARY + 1]) {
    const summary = "s".repeat(length);
    const { summary: passed } = Object(
      (await endingOf({ ...ending, summary })).ending,
    );
    assertEquals(passed, length === LONGEST_SUMMARY ? summary : undefined);
  }
});

Deno.test("serveRun() cuts an error of any kind, and says how long it was", async () => {
  const error = `<${"e".repeat(10_000)}>`;
  for (const status of ["timeout", "memory-limit", "crashed"] as const) {
    const { ending, errorLength, endedByItself } = await endingOf({
      ...{ status, error },
    });
    assertEquals([ending.status, errorLength], [status, 10_002]);
    assert("error" in ending && ending.error.length <= 100 + NOTE_CHARS);
    assert(ending.error.startsWith("<e") && ending.error.endsWith("e>"));
    assertEquals(endedByItself, false);
  }
  const whole = { setup: { ...SETUP, maxOutput: null } };
  const huge = { status: "run-error", exitCode: 1 } as const;
  const { ending, errorLength, endedByItself } = await endingOf({
    ...{ ...huge, error: "e".repeat(2 ** 22 + 1) },
  }, whole);
  assertEquals([errorLength, endedByItself], [2 ** 22 + 1, true]);
  assert("error" in ending && ending.error.length <= 2 ** 22 + NOTE_CHARS);
});

Deno.test("serveRun() passes on of output, pictures and calls what the run may send", async () => {
  const picture: RunMessage = {
    ...{ type: "display", mimeType: "image/svg+xml", data: "<svg/>" },
  };
  const text = "o".repeat(10_000);
  const { sent } = await serve(async (send) => {
    await send({ type: "output", stream: "stdout", text });
    for (let times = 0; times < 3; times++) await send(picture);
    for (let id = 0; id < 20; id++) {
      await send({ type: "ask", id, name: "n", arguments: "{}" });
    }
    return { status: "success", value: "null" };
  });
  const count = (type: FromSandbox["type"]) =>
    sent.filter((message) => message.type === type).length;
  const printed = sent.map((one) => one.type === "output" ? one.text : "");
  const { length } = printed.join("");
  assert(length >= 100 && length <= 100 + NOTE_CHARS, `${length}`);
  assertEquals([count("display"), count("ask")], [1, 1]);
  assertEquals(Object(sent.at(-1)).printed, 10_000);
});

Deno.test("serveRun() keeps an interpreter of a session that came back, and no other", async () => {
  const error = "E";
  const endings: [Ending, boolean][] = [
    [{ status: "success", value: "1" }, true],
    [{ status: "run-error", error, exitCode: 1 }, true],
    [{ status: "timeout", error }, true],
    [{ status: "memory-limit", error }, false],
    [{ status: "memory-limit", error: "", goesOn: false }, false],
    [{ status: "memory-limit", error: "", goesOn: true }, true],
    [{ status: "crashed", error }, false],
    [{ status: "crashed", error, goesOn: true }, false],
    [{ status: "success", value: "1".repeat(LONGEST_VALUE + 1) }, false],
  ];
  for (const [ending, expected] of endings) {
    const { isKept } = await endingOf(ending, { isKept: true });
    assertEquals(isKept, expected, ending.status);
    assertEquals((await endingOf(ending)).isKept, false);
  }
  const cancelled = { isKept: true, isCancelled: true };
  const stuck = await serve(() => new Promise(() => {}), cancelled);
  assertEquals([stuck.givenUp, stuck.isKept], [1, false]);
  const ending = { status: "timeout", error } as const;
  const { isKept } = await serve(() => Promise.resolve(ending), cancelled);
  assertEquals(isKept, true);
});
