import v8 from "node:v8";
import vm from "node:vm";
import { assert, assertEquals, assertMatch } from "../../../deps/assert.ts";
import type {
  CallToolResult,
  ServerContext,
} from "../../../deps/mcp_server.ts";
import { untilAborted } from "../../deadline.ts";
import { Share } from "../../shares.ts";
import { toForm } from "../code_mode/approval_form.ts";
import type { Asking } from "../code_mode/approvals.ts";
import type { AnswerCall, LastingCall } from "./lasting_call.ts";
import { LastingCalls } from "./lasting_calls.ts";
import type { OwnCalls, Told } from "./own_calls.ts";
import { type Running, toRunningAnswer } from "./running.ts";

const DONE: CallToolResult = { content: [{ type: "text", text: "done" }] };
const NONE = {};
const FORMS = { elicitation: { form: {} } };
const QUESTION = {
  ...{ server: "files", revision: "1" },
  ...{ tool: "delete", arguments: "{}" },
};
const FORM = toForm(QUESTION, { canRemember: false });
const { signal } = new AbortController();
const toRunning = (running: Running) => toRunningAnswer(running, "xml");

function openCalls(
  { keptMs = 60_000, most = 10, mostBytes = 1e6 } = {},
): { calls: LastingCalls; ada: OwnCalls; eve: OwnCalls } {
  const calls = new LastingCalls({
    ...{
      callWaitMs: 1000,
      keptMs,
      maxOutput: 100,
      mostLive: 100,
      longRuns: true,
    },
  }, { keptRuns: new Share(most), keptRunBytes: new Share(mostBytes) });
  const open = (name: string) =>
    calls.open({ name, connection: name, realm: name });
  return { calls, ada: open("ada"), eve: open("eve") };
}

/** A request of a client of 2025, which answers questions as the test says. */
function request(answer: () => Promise<unknown> = () => Promise.resolve()) {
  const left = new AbortController();
  const asked: unknown[] = [];
  const mcpReq = {
    signal: left.signal,
    requestState: () => undefined,
    log: () => Promise.resolve(),
    notify: () => Promise.resolve(),
    send(request: { params: unknown }, options: { signal: AbortSignal }) {
      asked.push(request.params);
      return untilAborted(answer(), options.signal);
    },
  };
  return { context: { mcpReq } as unknown as ServerContext, left, asked };
}

interface Begun {
  told: Told;
  call: LastingCall;
  end(result?: CallToolResult): Promise<void>;
  over: Promise<void>;
  asking: Asking | undefined;
}

/** Begins a call that is answered at once, and goes on. */
async function begin(
  own: OwnCalls,
  { capabilities = NONE, context = request().context } = {},
): Promise<Begun> {
  const result = Promise.withResolvers<CallToolResult>();
  let asking: Asking | undefined;
  const answer: AnswerCall = ({ lasting }, given) => {
    asking = given;
    lasting?.due.name(0);
    lasting?.printed.push("on\n");
    return result.promise;
  };
  let over = Promise.resolve();
  const told = await own.answer(context, capabilities, {
    answer,
    toRunning,
    onDetached: (until) => void (over = until),
  });
  const [call] = own.list().slice(-1);
  assert(call);
  const end = async (value = DONE) => {
    result.resolve(value);
    await call.over;
    // Its result is kept by then.
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { told, call, end, over, asking };
}

const watch = (own: OwnCalls, { id }: LastingCall, more = {}) =>
  own.watch(request().context, NONE, {
    ...{ run: id, waitMs: 0, cancels: false, ...more },
  });

function textOf(told: Told): string {
  return JSON.stringify(told);
}

Deno.test("LastingCalls: a call goes on after its request, with its place, until it ends", async () => {
  const { ada } = openCalls();
  const { told, call, end, over } = await begin(ada);
  assertMatch(textOf(told), /running.*on.*get_run/s);
  let isOver = false;
  void over.then(() => isOver = true);
  assertEquals(isOver, false);
  await end();
  await over;
  assertEquals(await watch(ada, call), DONE);
});

Deno.test("LastingCalls: to other callers, a call does not exist", async () => {
  const { ada, eve } = openCalls();
  const { call, end } = await begin(ada);
  assertMatch(textOf(await watch(eve, call, { cancels: true })), /Cannot find/);
  assertEquals([call.isCancelled, eve.find(call.id)], [false, undefined]);
  assertEquals(eve.list(), []);
  await end();
});

Deno.test("LastingCalls: the oldest result gives way, and no call that goes on", async () => {
  const { calls, ada } = openCalls({ most: 2 });
  const goingOn = await begin(ada);
  const ended: Begun[] = [];
  for (let at = 0; at < 3; at++) {
    const one = await begin(ada);
    await one.end();
    ended.push(one);
  }
  const known = ended.map(({ call }) => ada.find(call.id) !== undefined);
  assertEquals(known, [false, true, true]);
  assertEquals(ada.find(goingOn.call.id), goingOn.call);
  assertEquals(calls.size, 3);
  await goingOn.end();
});

Deno.test("LastingCalls: results have a bound of bytes", async () => {
  const { ada } = openCalls({ mostBytes: 300 });
  const text = "x".repeat(200);
  const long: CallToolResult = { content: [{ type: "text", text }] };
  const first = await begin(ada);
  await first.end(long);
  const second = await begin(ada);
  await second.end(long);
  assertEquals(ada.find(first.call.id), undefined);
  assertEquals(await watch(ada, second.call), long);
});

Deno.test("LastingCalls: a result is dropped after its time", async () => {
  const { calls, ada } = openCalls({ keptMs: 1 });
  await (await begin(ada)).end();
  while (calls.size > 0) await new Promise((resolve) => setTimeout(resolve, 1));
});

Deno.test("LastingCalls: a list has the calls of its own client alone, and none if nothing tells clients apart", async () => {
  const { calls } = openCalls();
  const open = (realm?: string) =>
    calls.open({ name: "local", connection: realm, realm });
  const own = open("1");
  const { call, end } = await begin(own);
  const unknown = open();
  await unknown.answer(request().context, NONE, {
    answer({ lasting }) {
      lasting?.due.name(0);
      return new Promise(() => {});
    },
    ...{ toRunning, onDetached() {} },
  });
  const lists = [own, open("2"), unknown].map((one) => one.list());
  assertEquals([lists, calls.size], [[[call], [], []], 2]);
  // The client may come back by another connection, with the handle.
  assertEquals(open("2").find(call.id), call);
  await end();
});

Deno.test("LastingCalls: a request that waits for a call that goes on is answered at once if its place is needed", async () => {
  const { calls, ada } = openCalls();
  const answers: (() => void)[] = [];
  calls.onWait = (_, answer) => void answers.push(answer);
  const { call, end } = await begin(ada);
  // The call had its own place.
  assertEquals(answers.length, 0);
  const waiting = watch(ada, call, { waitMs: 3_600_000 });
  answers[0]?.();
  assertMatch(textOf(await waiting), /running/);
  await end();
});

Deno.test("LastingCalls: a result is kept without the arguments of its call", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collect: () => void = vm.runInNewContext("gc");
  const { ada } = openCalls();
  const ended = (async () => {
    const given = { arguments: {} };
    const hold = () => void given;
    const result = Promise.withResolvers<CallToolResult>();
    await ada.answer(request().context, NONE, {
      answer({ lasting, signal }) {
        signal.addEventListener("abort", hold);
        lasting?.due.name(0);
        lasting?.printed.push("on\n");
        return result.promise;
      },
      ...{ toRunning, onDetached: hold },
    });
    result.resolve(DONE);
    await ada.list()[0]?.over;
    return new WeakRef(given);
  })();
  const given = await ended;
  // The frames above are gone by then.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  const [call] = ada.list();
  assertEquals([given.deref(), call?.isOver], [undefined, true]);
  assertEquals(call?.printed.read(0, 100).output, []);
});

Deno.test("LastingCalls: a result is kept without the requests that have waited for it", async () => {
  v8.setFlagsFromString("--expose-gc");
  const collect: () => void = vm.runInNewContext("gc");
  const { ada } = openCalls();
  const waited = (async () => {
    const { call, end } = await begin(ada, { capabilities: FORMS });
    const { context } = request();
    await ada.watch(context, FORMS, {
      ...{ run: call.id, waitMs: 0, cancels: false },
    });
    await end();
    return new WeakRef(context.mcpReq);
  })();
  const gone = await waited;
  // The frames above are gone by then.
  await new Promise((resolve) => setTimeout(resolve, 0));
  collect();
  assertEquals([gone.deref(), ada.list().length], [undefined, 1]);
});

Deno.test("LastingCalls: a client of 2025 is asked by the request that waits, and no failed request is a yes", async () => {
  const { ada } = openCalls();
  const { call, asking, end } = await begin(ada, { capabilities: FORMS });
  assert(asking);
  const answered = asking.ask(FORM, signal);
  const failing = request(() => Promise.reject(new Error("gone")));
  const wait = (context: ServerContext) =>
    ada.watch(context, FORMS, {
      ...{ run: call.id, waitMs: 60_000, cancels: false },
    });
  const first = wait(failing.context);
  assertEquals(await answered, undefined);
  assertEquals(failing.asked, [FORM]);
  failing.left.abort();
  await first;
  // That a client leaves its request is not an answer.
  const hanging = request(() => new Promise(() => {}));
  const left = wait(hanging.context);
  const second = asking.ask(FORM, signal);
  while (hanging.asked.length === 0) await Promise.resolve();
  hanging.left.abort();
  await left;
  const good = request(() => Promise.resolve({ action: "accept" }));
  const last = wait(good.context);
  assertEquals(await second, { action: "accept" });
  await end();
  assertEquals(await last, DONE);
});
