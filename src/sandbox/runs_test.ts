import { assert, assertEquals } from "../../deps/assert.ts";
import type {
  Display,
  Ending,
  FromSandbox,
  RunRequest,
} from "../protocol/run_messages.ts";
import { NOTE_CHARS } from "../results/to_result.ts";
import type { Interpreter, RunEvents } from "../engines/engine.ts";
import { Guard } from "./guard.ts";
import { serveRun } from "./runs.ts";

const REQUEST: RunRequest = {
  code: "",
  globals: "{}",
  timeoutMs: 60_000,
  maxOutput: 100,
  installable: [],
  hostCalls: { count: 1, size: 100, timeoutMs: 1000 },
  images: { count: 1, size: 100, total: 100 },
};
/** So much may a value have: room for what is cut, and escaped. */
const LONGEST_VALUE = (4 * 100 + 1000) * 6;

/** An interpreter whose Python has replaced all that it could. */
function liar(tell: (events: RunEvents) => Promise<Ending>): Interpreter {
  return {
    run: (_request, events) => tell(events),
    answer() {},
    interrupt() {},
    end: () => Promise.resolve(true),
  };
}

/** What its process sends the server, in order. */
async function serve(
  tell: (events: RunEvents) => Promise<Ending>,
  request = REQUEST,
): Promise<{ sent: FromSandbox[]; isByItself: boolean }> {
  const sent: FromSandbox[] = [];
  using guard = new Guard();
  const isByItself = await serveRun(
    liar(tell),
    request,
    (message) => Promise.resolve(void sent.push(message)),
    {
      ...{
        id: 7,
        memoryMiB: 1,
        maxFilesMiB: 1,
        maxFiles: 1,
        wishes: {},
        guard,
      },
      onGivenUp() {},
      meter: { cpuSeconds: () => 0, grownBytes: () => 0 },
      cancelled: new AbortController().signal,
    },
  );
  return { sent, isByItself };
}

async function endingOf(ending: Ending, request = REQUEST) {
  const { sent, isByItself } = await serve(
    () => Promise.resolve(ending),
    request,
  );
  const [done, ...more] = sent;
  assert(done?.type === "done" && more.length === 0);
  assertEquals([done.run, done.printed], [7, 0]);
  return { ...done, isByItself };
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
  const unwanted = { ...REQUEST, maxOutput: null };
  const value = "1".repeat(6001);
  const { ending } = await endingOf({ status: "success", value }, unwanted);
  assertEquals(ending.status, "crashed");
});

Deno.test("serveRun() cuts an error of any kind, and says how long it was", async () => {
  const error = `<${"e".repeat(10_000)}>`;
  for (const status of ["timeout", "memory-limit", "crashed"] as const) {
    const { ending, errorLength, isByItself } = await endingOf({
      ...{ status, error },
    });
    assertEquals([ending.status, errorLength], [status, 10_002]);
    assert("error" in ending && ending.error.length <= 100 + NOTE_CHARS);
    assert(ending.error.startsWith("<e") && ending.error.endsWith("e>"));
    assertEquals(isByItself, false);
  }
  const whole = { ...REQUEST, maxOutput: null };
  const huge = { status: "run-error", exitCode: 1 } as const;
  const { ending, errorLength, isByItself } = await endingOf({
    ...{ ...huge, error: "e".repeat(2 ** 22 + 1) },
  }, whole);
  assertEquals([errorLength, isByItself], [2 ** 22 + 1, true]);
  assert("error" in ending && ending.error.length <= 2 ** 22 + NOTE_CHARS);
});

Deno.test("serveRun() passes on of output, pictures and calls what the run may send", async () => {
  const picture: Display = {
    ...{ type: "display", mimeType: "image/svg+xml", data: "<svg/>" },
  };
  const { sent } = await serve(async (events) => {
    await events.onOutput("stdout", "o".repeat(10_000));
    for (let times = 0; times < 3; times++) await events.onDisplay(picture);
    for (let id = 0; id < 20; id++) {
      await events.onCall({ type: "ask", id, name: "n", arguments: "{}" });
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
