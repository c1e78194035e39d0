import { assert, assertEquals, assertRejects } from "../../../deps/assert.ts";
import type { CallToolResult } from "../../../deps/mcp_server.ts";
import { fields } from "../../protocol/fields.ts";
import { toForm } from "../code_mode/approval_form.ts";
import type { Asking } from "../code_mode/approvals.ts";
import { Due } from "./due.ts";
import {
  type CallRequest,
  type ClientRequest,
  LastingCall,
} from "./lasting_call.ts";
import { type Round, Rounds } from "./rounds.ts";

const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };
const YES = { action: "accept" };
const QUESTION = {
  ...{ server: "files", revision: "1" },
  ...{ tool: "delete", arguments: "{}" },
};
const FORM = toForm(QUESTION, { canRemember: false });
const { signal } = new AbortController();

/** A request of a client, which tells the messages that it was sent. */
function request(token?: string) {
  const told: string[] = [];
  const abort = new AbortController();
  const of: ClientRequest = {
    ...{ envelope: {}, signal: abort.signal },
    _meta: { progressToken: token },
    log: (_level, data) => Promise.resolve(void told.push(`log ${data}`)),
    notify: ({ params }) =>
      Promise.resolve(void told.push(`progress ${params.progressToken}`)),
  };
  const round = (answers: unknown = {}): Round => ({
    ...{ request: of, answers, due: new Due(undefined).promise },
    seal: (round) => Promise.resolve(String(round)),
  });
  return { of, told, abort, round };
}

/** A call whose code the test is. */
function park(first = request("one")) {
  const given = Promise.withResolvers<[CallRequest, Asking]>();
  const result = Promise.withResolvers<CallToolResult>();
  const call = new LastingCall("id", "ada", first.of, (lasting, asking) => {
    if (asking) given.resolve([lasting, asking]);
    return result.promise;
  }, { atATime: 20, due: new Due(undefined), keptMs: 1000 });
  const run = new Rounds(call);
  const answer = run.begin(first.round());
  return { call, run, answer, given: given.promise, result, first };
}

function keysOf(answer: unknown): string[] {
  return Object.keys(fields(fields(answer).inputRequests));
}

Deno.test("Rounds without questions is answered by its result, or its error", async () => {
  const { answer, result } = park();
  result.resolve(DONE);
  assertEquals(await answer, DONE);
  const failed = park();
  failed.result.reject(new RangeError("ours"));
  await assertRejects(failed.answer, RangeError);
});

Deno.test("Rounds asks questions that come at once in a round, and later ones in the next", async () => {
  const { run, answer, given, result } = park();
  const [, asking] = await given;
  const ask = () => asking.ask(FORM, signal);
  const asked = [ask(), ask()];
  const first = await answer;
  assertEquals(keysOf(first), ["approval-1", "approval-2"]);
  const late = ask();
  const answers = { "approval-1": YES, "approval-3": YES };
  const second = await run.resume(1, request().round(answers));
  assertEquals(await Promise.all(asked), [YES, undefined]);
  assertEquals(keysOf(second), ["approval-3"]);
  const last = run.resume(2, request().round({ "approval-3": YES }));
  assertEquals(await late, YES);
  result.resolve(DONE);
  assertEquals(await last, DONE);
});

Deno.test("Rounds does not ask what is not wanted any more", async () => {
  const { run, answer, given, result } = park();
  const [, asking] = await given;
  const late = new AbortController();
  const gone = asking.ask(FORM, late.signal);
  const other = asking.ask(FORM, signal);
  late.abort(new RangeError("late"));
  await assertRejects(gone, RangeError);
  await assertRejects(asking.ask(FORM, late.signal), RangeError);
  assertEquals(keysOf(await answer), ["approval-2"]);
  const last = run.resume(1, request().round({ "approval-2": YES }));
  await other;
  result.resolve(DONE);
  assertEquals(await last, DONE);
});

Deno.test("Rounds keeps the result of a call that ends while no request waits", async () => {
  const { call, run, answer, given, result } = park();
  const [, asking] = await given;
  asking.ask(FORM, signal);
  await answer;
  result.resolve(DONE);
  await call.over;
  assert(call.isOver);
  assertEquals(await run.resume(1, request().round()), DONE);
});

Deno.test("Rounds sends messages to the request that waits, progress by its token", async () => {
  const { run, answer, given, result, first } = park();
  const [lasting, asking] = await given;
  const tell = async (text: string) => {
    await lasting.log("info", text);
    await lasting.notify({
      method: "notifications/progress",
      params: { progressToken: lasting._meta?.progressToken },
    });
  };
  await tell("a");
  const asked = asking.ask(FORM, signal);
  await answer;
  await tell("b");
  const next = request("two");
  const last = run.resume(1, next.round({ "approval-1": YES }));
  await asked;
  await tell("c");
  result.resolve(DONE);
  await last;
  await tell("d");
  assertEquals(first.told, ["log a", "progress one"]);
  assertEquals(next.told, ["log c", "progress two"]);
});

Deno.test("Rounds ends its call with the request that waits for it, and with no other", async () => {
  const { run, answer, given, result, first } = park();
  const [lasting, asking] = await given;
  const asked = asking.ask(FORM, signal);
  await answer;
  first.abort.abort();
  assert(!lasting.signal.aborted);
  const next = request();
  const last = run.resume(1, next.round({ "approval-1": YES }));
  await asked;
  next.abort.abort();
  assert(lasting.signal.aborted);
  result.resolve(DONE);
  await last;
});

Deno.test("Rounds refuses rounds that have passed, and those that were never asked", async () => {
  const { run, answer, given, result } = park();
  const [, asking] = await given;
  const bad = (round: number) =>
    assertRejects(async () => await run.resume(round, request().round()));
  asking.ask(FORM, signal);
  await answer;
  for (const round of [2, -1, NaN]) await bad(round);
  const second = run.resume(1, request().round());
  assertEquals(run.resume(1, request().round()), second);
  asking.ask(FORM, signal);
  await second;
  const third = run.resume(2, request().round());
  await bad(1);
  result.resolve(DONE);
  assertEquals(await third, DONE);
});
