import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import type { Answer, Ask, FromSandbox } from "../protocol/run_messages.ts";
import { CallGate } from "./call_gate.ts";

const LIMITS = { count: 2, size: 100, timeoutMs: 1000 };

function openGate() {
  const sent: FromSandbox[] = [];
  const answers: Answer[] = [];
  const gate = new CallGate(LIMITS, {
    send: (message) => Promise.resolve(void sent.push(message)),
    answer: (answer) => answers.push(answer),
  });
  return { gate, sent, answers };
}

function ask(id: number, text = "1"): Ask {
  return { type: "ask", id, name: "n", arguments: text };
}

Deno.test("CallGate passes on as many as a run may make, and refuses the rest itself", async () => {
  const { gate, sent, answers } = openGate();
  for (const id of [1, 2, 3, 4]) await gate.take(ask(id));
  assertEquals(sent, [ask(1), ask(2)]);
  assertEquals(answers.map(({ id }) => id), [3, 4]);
  assertMatch(
    String(answers[0]?.answer),
    /RuntimeError.* 2 times.*--max-host-calls/,
  );
});

Deno.test("CallGate refuses what is too large, and takes what just fits", async () => {
  const { gate, sent, answers } = openGate();
  await gate.take(ask(1, "x".repeat(99)));
  await gate.take(ask(2, "x".repeat(100)));
  assertEquals(sent.length, 1);
  assertMatch(
    String(answers[0]?.answer),
    /ValueError.* 101 .* 100.*--max-host-call-size/,
  );
});

Deno.test("CallGate thins notifications, which count for nothing", async () => {
  const { gate, sent, answers } = openGate();
  for (let number = 0; number < 1000; number++) {
    await gate.take({ type: "notify", name: "n", arguments: `${number}` });
    await gate.take({ type: "notify", name: "n", arguments: "x".repeat(200) });
  }
  await gate.take(ask(1));
  gate.close();
  const numbers = sent.flatMap((call) =>
    call.type === "notify" ? Number(call.arguments) : []
  );
  assert(numbers.length < 1000, `${numbers.length} were sent`);
  assertEquals([numbers[0], numbers.at(-1)], [0, 999]);
  assertEquals(answers, []);
});
