import { assertEquals, assertRejects } from "../../../deps/assert.ts";
import type { FromState, ToState } from "../../protocol/keeper_messages.ts";
import { BrokerKept, KeptError } from "./broker_kept.ts";

const FACTS = {
  ...{ key: "k", bytes: 1, created: 1, updated: 2, revision: "r" },
};
const ENDED: FromState = { type: "ended", reason: "it has ended" };

/** What is kept beyond a process that says these words, one after another. */
function keptBy(...words: (FromState | undefined)[]) {
  const asked: ToState[] = [];
  const kept = new BrokerKept((request) => {
    asked.push(request);
    const said = words[asked.length - 1];
    return said ? Promise.resolve(said) : new Promise(() => {});
  }, 1);
  return { kept, asked };
}

const isKept = (pattern: RegExp) => (error: unknown) =>
  error instanceof KeptError && pattern.test(error.message);

Deno.test("BrokerKept waits for no process that stands still", async () => {
  const { kept, asked } = keptBy();
  for (let turn = 0; turn < 9; turn++) {
    await assertRejects(
      () => kept.get("memory", "ada", "k"),
      isKept(/did not answer within 1 ms/),
    );
  }
  assertEquals(asked.length, 9);
});

Deno.test("BrokerKept asks again what may be done twice, and nothing else", async () => {
  const done: FromState = { type: "done", facts: FACTS };
  const { kept, asked } = keptBy(ENDED, done, ENDED, ENDED, ENDED, ENDED);
  assertEquals(await kept.put("memory", "ada", "k", { text: "1" }), FACTS);
  assertEquals(asked.length, 2);
  const ifRevision = "r";
  await assertRejects(
    () => kept.put("memory", "ada", "k", { text: "1", ifRevision }),
    isKept(/Cannot reach what is kept: it has ended/),
  );
  assertEquals(asked.length, 3);
  await assertRejects(() => kept.list("memory", "ada"), isKept(/has ended/));
  assertEquals(asked.length, 5);
});

Deno.test("BrokerKept tells a refusal from a failure", async () => {
  const { kept } = keptBy(
    { type: "full", reason: "too much" },
    { type: "failed", reason: "broken" },
    { type: "conflict" },
  );
  const put = () => kept.put("memory", "ada", "k", { text: "1" });
  await assertRejects(put, (error) => error instanceof RangeError);
  await assertRejects(put, isKept(/^broken$/));
  assertEquals(await put(), undefined);
});
