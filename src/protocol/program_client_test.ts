import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { deferred } from "../deferred.ts";
import type { ToProgram } from "./pipe_messages.ts";
import { type ProgramCallOptions, ProgramClient } from "./program_client.ts";
import type { Status } from "./run_result.ts";

/** A run that prints and ends, both at once, as its server says with `tell()`. */
function startRun(onOutput: ProgramCallOptions["onOutput"], status: Status) {
  const sent: { type: string }[] = [];
  const client = new ProgramClient((line) => sent.push(JSON.parse(line)));
  const run = client.run({ type: "run", code: "" }, { onOutput });
  const output: string[] = [];
  const result = status === "success"
    ? { status, returnValue: null, output }
    : { status, error: "", output };
  const lines: ToProgram[] = [
    { type: "output", id: 1, stream: "stdout", text: "more" },
    { type: "result", id: 1, result, isLost: false },
  ];
  const tell = () => {
    for (const line of lines) void client.take(JSON.stringify(line));
  };
  return { run, sent, tell };
}

Deno.test("ProgramClient tells the error of a callback, though the result comes before the callback fails", async () => {
  const rejecting = () => Promise.reject(new TypeError("the writer broke"));
  const throwing = () => {
    throw new TypeError("the writer broke");
  };
  for (const onOutput of [rejecting, throwing]) {
    const { run, sent, tell } = startRun(onOutput, "success");
    tell();
    await assertRejects(run, /the writer broke/);
    assertEquals(sent.map(({ type }) => type), ["run", "cancel"]);
  }
});

Deno.test("ProgramClient: a result waits for callbacks; that of a cancelled run does not, so that a callback may wait for it", async () => {
  const taken = deferred<void>();
  const order: string[] = [];
  const whole = startRun(() => taken.promise, "success");
  const ended = whole.run.then(() => order.push("ended"));
  whole.tell();
  const cancelled = startRun(async () => {
    await cancelled.run;
    order.push("a callback heard of the end");
    taken.resolve();
  }, "cancelled");
  cancelled.tell();
  await ended;
  assertEquals(order, ["a callback heard of the end", "ended"]);
});
