import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import {
  type CallToolResult,
  ProtocolError,
} from "../../../deps/mcp_server.ts";
import { Due } from "../lasting/due.ts";
import { type ClientRequest, LastingCall } from "../lasting/lasting_call.ts";
import { readState, toFacts, toWhole } from "./task.ts";

const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };
const REQUEST: ClientRequest = {
  signal: new AbortController().signal,
  log: () => Promise.resolve(),
  notify: () => Promise.resolve(),
};

/** A call that ends as the test says. */
function begin() {
  const end = Promise.withResolvers<CallToolResult>();
  const call = new LastingCall("id", "ada", REQUEST, () => end.promise, {
    ...{ atATime: 0, due: new Due(undefined), keptMs: 1000 },
  });
  return { call, end };
}

Deno.test("readState() tells a result, and errors of ours and of the protocol", async () => {
  const good = begin();
  assertEquals(await readState(good.call), { status: "working" });
  good.end.resolve(DONE);
  await good.call.over;
  const completed = { status: "completed", result: DONE };
  assertEquals(await readState(good.call), completed);
  const errors = [
    [new ProtocolError(-32602, "wrong", { a: 1 }), -32602, { data: { a: 1 } }],
    [new RangeError("ours"), -32603, {}],
  ] as const;
  for (const [error, code, more] of errors) {
    const bad = begin();
    bad.end.reject(error);
    await bad.call.over;
    const told = { code, message: error.message, ...more };
    assertEquals(await readState(bad.call), { status: "failed", error: told });
  }
});

Deno.test("readState(): a task that was cancelled stays so, and one that has ended is not cancelled", async () => {
  const { call, end } = begin();
  call.cancel();
  assertEquals(await readState(call), { status: "cancelled" });
  end.resolve(DONE);
  await call.over;
  assertEquals(await readState(call), { status: "cancelled" });
  const ended = begin();
  ended.end.resolve(DONE);
  await ended.call.over;
  ended.call.cancel();
  assertEquals((await readState(ended.call)).status, "completed");
});

Deno.test("toFacts() tells times, and head and tail of a long message", () => {
  const { call } = begin();
  assertEquals("statusMessage" in toFacts(call), false);
  call.step(`head ${"x".repeat(5000)} tail`);
  const { taskId, createdAt, lastUpdatedAt, statusMessage } = toFacts(call);
  assertEquals(taskId, "id");
  assertMatch(
    statusMessage ?? "",
    /^head x+\n… [\d,]+ characters .*\nx+ tail$/,
  );
  for (const time of [createdAt, lastUpdatedAt]) {
    assertMatch(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  }
});

Deno.test("toWhole() gives a whole number above 0", () => {
  assertEquals([0, 0.2, 1.5, 60_000].map(toWhole), [1, 1, 2, 60_000]);
});
