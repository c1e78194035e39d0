import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import { RunClock } from "../../protocol/run_clock.ts";
import type { Answer, Ask } from "../../protocol/run_messages.ts";
import { Queue } from "../../protocol/channel.ts";
import { type HostCall, hostCall } from "./host_call.ts";
import { RunCalls } from "./run_calls.ts";

const LIMITS = { count: 50, size: 1000, timeoutMs: 60_000 };

/** Calls of one run, of which some wait until the test answers them. */
function openRun(limits = LIMITS) {
  const held: PromiseWithResolvers<string>[] = [];
  const heard: unknown[] = [];
  const signals: AbortSignal[] = [];
  const asks: HostCall[] = [
    hostCall({ name: "echo", parse: String, answer: (text) => text }),
    hostCall({
      name: "long",
      parse: Number,
      answer: (size) => "x".repeat(size),
    }),
    hostCall({
      name: "fail",
      parse: () => null,
      answer() {
        throw new Error("a secret");
      },
    }),
    hostCall({
      name: "wait",
      parse: () => null,
      answer(_, { signal }) {
        const answer = Promise.withResolvers<string>();
        held.push(answer);
        signals.push(signal);
        return answer.promise;
      },
    }),
  ];
  const told = hostCall({
    name: "tell",
    parse: (data) => data,
    answer: (data) => (heard.push(data), null),
  });
  const answers = new Queue<Answer>();
  const waiting = new Set<number>();
  const clock = {
    stand: (id: number) => void waiting.add(id),
    goOn: (id: number) => void waiting.delete(id),
  };
  const calls = new RunCalls(
    { asks, notifications: [told] },
    limits,
    { run: {}, send: (answer) => answers.push(answer), clock },
  );
  return { calls, answers, held, heard, signals, waiting };
}

function ask(id: number, name: string, text = "1"): Ask {
  return { type: "ask", id, name, arguments: text };
}

Deno.test("RunCalls gives each question its own answer", async () => {
  const { calls, answers, held } = openRun();
  for (const id of [1, 2, 3]) calls.take(ask(id, "wait"));
  for (const id of [3, 1, 2]) {
    held[id - 1]?.resolve(`answer ${id}`);
    assertEquals(await answers.next(), {
      type: "answer",
      id,
      answer: `{"value":"answer ${id}"}`,
    });
  }
});

Deno.test("RunCalls has the run's clock stand for each call that waits, answered or refused", async () => {
  const { calls, answers, held, waiting } = openRun();
  for (const id of [1, 2]) calls.take(ask(id, "wait"));
  calls.take(ask(1, "wait"));
  assertMatch((await answers.next()).answer, /this id waits/);
  assertEquals([...waiting], [1, 2]);
  for (const one of held) one.resolve("");
  calls.take(ask(3, "fail"));
  calls.take(ask(4, "none"));
  for (let count = 0; count < 4; count++) await answers.next();
  // After the answers.
  await Promise.resolve();
  assertEquals([...waiting], []);
});

Deno.test("RunCalls refuses an id that waits already, and takes it again after that", async () => {
  const { calls, answers, held } = openRun();
  calls.take(ask(1, "wait"));
  calls.take(ask(1, "echo"));
  assertMatch((await answers.next()).answer, /ValueError.*this id waits/);
  held[0]?.resolve("first");
  assertMatch((await answers.next()).answer, /first/);
  calls.take(ask(1, "echo", '"again"'));
  assertMatch((await answers.next()).answer, /again/);
});

Deno.test("RunCalls refuses unknown names, and text that is not JSON", async () => {
  const { calls, answers } = openRun();
  const wrong = [
    [ask(1, "none"), /PermissionError.*answers is echo, long, fail, wait/],
    [ask(2, "constructor"), /PermissionError/],
    [ask(3, "tell"), /PermissionError/],
    [ask(4, "echo", "}{"), /ValueError.*not JSON/],
    [ask(5, "x".repeat(900)), /Cannot call \\"x{100}\\" /],
  ] as const;
  for (const [call, expected] of wrong) {
    calls.take(call);
    assertMatch((await answers.next()).answer, expected);
  }
});

Deno.test("RunCalls refuses an answer that is too long, and keeps its own errors to itself", async () => {
  const { calls, answers } = openRun();
  // The JSON text has 12 characters around it.
  calls.take(ask(1, "long", "988"));
  assertEquals((await answers.next()).answer.length, 1000);
  calls.take(ask(2, "long", "989"));
  assertMatch((await answers.next()).answer, /ValueError.* 1001 .* 1000\./);
  calls.take(ask(3, "fail"));
  assertEquals(JSON.parse((await answers.next()).answer), {
    error: "RuntimeError",
    message: "fail failed on the host.",
  });
});

Deno.test("RunCalls lets no more wait than a few of full size", async () => {
  const { calls, answers, held } = openRun();
  const large = " ".repeat(900) + "1";
  for (let id = 0; id < 18; id++) calls.take(ask(id, "wait", large));
  const { id, answer } = await answers.next();
  assertEquals(id, 17);
  assertMatch(answer, /RuntimeError.*and 16000 may/);
  held[0]?.resolve("");
  assertEquals((await answers.next()).id, 0);
  calls.take(ask(100, "echo", large));
  assertEquals((await answers.next()).id, 100);
  calls.close();
});

Deno.test("RunCalls aborts what is late, and says so", async () => {
  const { calls, answers, signals } = openRun({ ...LIMITS, timeoutMs: 5 });
  calls.take(ask(1, "wait"));
  assertMatch(
    (await answers.next()).answer,
    /TimeoutError.*0\.005 s.*--call-timeout/,
  );
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
});

Deno.test("RunCalls with its run ends all, and hears the last notification", async () => {
  const { calls, answers, held, heard, signals } = openRun();
  for (const text of ["1", "2", "}{", "3"]) {
    calls.take({ type: "notify", name: "tell", arguments: text });
  }
  calls.take({ type: "notify", name: "echo", arguments: "4" });
  calls.take(ask(1, "wait"));
  calls.close();
  assertEquals(heard, [1, 3]);
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
  held[0]?.resolve("late");
  calls.take(ask(2, "echo"));
  calls.take({ type: "notify", name: "tell", arguments: "5" });
  // What was on its way would be here before this.
  await new Promise((resolve) => setTimeout(resolve));
  answers.push({ type: "answer", id: 0, answer: "nothing before" });
  assertEquals((await answers.next()).answer, "nothing before");
  assertEquals(heard, [1, 3]);
});

Deno.test("RunCalls gives a call that bounds its time itself that of all waits, too", async () => {
  const held = Promise.withResolvers<string>();
  const slow: HostCall = {
    ...hostCall({
      name: "slow",
      parse: () => null,
      answer: () => held.promise,
    }),
    timesItself: true,
  };
  const usual = { ...slow, name: "usual", timesItself: false };
  const answers = new Queue<Answer>();
  const calls = new RunCalls(
    { asks: [slow, usual], notifications: [] },
    { ...LIMITS, timeoutMs: 5, waitMs: 60_000 },
    { run: {}, clock: new RunClock(), send: (answer) => answers.push(answer) },
  );
  calls.take(ask(1, "slow"));
  calls.take(ask(2, "usual"));
  assertMatch((await answers.next()).answer, /TimeoutError.*usual/);
  held.resolve("after that");
  assertMatch((await answers.next()).answer, /after that/);
});
