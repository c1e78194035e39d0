import { assert, assertEquals, assertMatch } from "../../deps/assert.ts";
import type { Answer, Ask, RunMessage } from "../protocol/run_messages.ts";
import { SETUP } from "../../test/support/request.ts";
import { RunGate } from "./run_gate.ts";

function openGate(more: Partial<typeof SETUP> = {}) {
  const sent: RunMessage[] = [];
  const answers: Answer[] = [];
  const stood: number[] = [];
  const hostCalls = { count: 2, size: 100, timeoutMs: 1000 };
  const gate = new RunGate({ ...SETUP, hostCalls, ...more }, {
    send: (message) => Promise.resolve(void sent.push(message)),
    answer: (answer) => answers.push(answer),
    clock: { stand: (id) => void stood.push(id) },
  });
  return { gate, sent, answers, stood };
}

function ask(id: number, text = "1"): Ask {
  return { type: "ask", id, name: "n", arguments: text };
}

function piece(path: string, size: number, length = size): RunMessage {
  return { type: "file", path, size, bytes: new Uint8Array(length) };
}

Deno.test("RunGate passes on as many asks as a run may make, and refuses the rest itself", async () => {
  const { gate, sent, answers, stood } = openGate();
  for (const id of [1, 2, 3, 4]) await gate.take(ask(id));
  // The time of the run stands for those alone that will be answered.
  assertEquals(stood, [1, 2]);
  assertEquals(sent, [ask(1), ask(2)]);
  assertEquals(answers.map(({ id }) => id), [3, 4]);
  assertMatch(
    String(answers[0]?.answer),
    /RuntimeError.* 2 times.*Make fewer calls\./,
  );
});

Deno.test("RunGate refuses an ask that is too large, and takes an ask that just fits", async () => {
  const { gate, sent, answers } = openGate();
  await gate.take(ask(1, "x".repeat(99)));
  await gate.take(ask(2, "x".repeat(100)));
  assertEquals(sent.length, 1);
  assertMatch(
    String(answers[0]?.answer),
    /ValueError.* 101 .* 100\. Send less\./,
  );
});

Deno.test("RunGate thins notifications, which count for nothing", async () => {
  const { gate, sent, answers } = openGate();
  for (let number = 0; number < 1000; number++) {
    await gate.take({ type: "notify", name: "n", arguments: `${number}` });
    await gate.take({ type: "notify", name: "n", arguments: "x".repeat(200) });
  }
  await gate.take(ask(1));
  await gate.close();
  const numbers = sent.flatMap((call) =>
    call.type === "notify" ? Number(call.arguments) : []
  );
  assert(numbers.length < 1000, `${numbers.length} were sent`);
  assertEquals([numbers[0], numbers.at(-1)], [0, 999]);
  assertEquals(answers, []);
});

Deno.test("RunGate drops the files that a run cannot have, and counts each once", async () => {
  const { gate, sent } = openGate({ files: { bytes: 10, count: 3 } });
  const removed: RunMessage = { type: "removed", path: "gone" };
  const pieces = [
    ...[piece("a", 6), piece("large", 5, 2), piece("large", 5, 3)],
    ...[piece("b", 4, 2), piece("b", 4, 2), piece("../c", 0), removed],
  ];
  for (const message of pieces) await gate.take(message);
  assertEquals(
    sent.map((one) => "path" in one ? one.path : one.type),
    ["a", "b", "b", "gone"],
  );
  await gate.close();
  const note = sent.at(-1);
  assertMatch(
    note?.type === "output" ? note.text : "",
    /--max-files-size\), files: 2$/m,
  );
});

Deno.test("RunGate gives the number of characters printed, and keeps no more than the limit", async () => {
  const { gate, sent } = openGate();
  const text = "o".repeat(10_000);
  await gate.take({ type: "output", stream: "stdout", text });
  assertEquals(await gate.close(), 10_000);
  const kept = sent.map((one) => one.type === "output" ? one.text : "").join(
    "",
  );
  assert(kept.length >= 1000 && kept.length <= 1200, `${kept.length}`);
});

Deno.test("RunGate counts a line that is drawn again once, and passes it on as it is to a terminal", async () => {
  const drawn = "\r1 of 2\r2 of 2".repeat(100);
  for (const [maxOutput, text] of [[1000, "2 of 2"], [null, drawn]] as const) {
    const { gate, sent } = openGate({ maxOutput });
    await gate.take({ type: "output", stream: "stdout", text: drawn });
    assertEquals(await gate.close(), text.length);
    assertEquals(sent, [{ type: "output", stream: "stdout", text }]);
  }
});
