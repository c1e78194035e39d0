import { assertEquals, assertRejects } from "../../deps/assert.ts";
import { type Channel, type Ended, Queue } from "./channel.ts";
import { type Answered, type Asked, Requests } from "./requests.ts";
import { bytesOf } from "../../test/support/pieces.ts";

type Question = Asked<{ say: string }>;
type Answer = { said?: string };
const ENDED: Ended = { type: "ended", reason: "code 1", code: 1 };
const REFUSED: Ended = { type: "ended", reason: "no more processes" };
const tick = () => new Promise((resolve) => setTimeout(resolve));

/** Channels to processes that the test plays. */
function play(most = 4, deadlineMs?: number) {
  const channels: {
    asked: [Question, Uint8Array | undefined][];
    messages: Queue<Answered<Answer> | Ended>;
  }[] = [];
  const open = (): Channel<Question, Answered<Answer>> => {
    const messages = new Queue<Answered<Answer> | Ended>();
    const asked: [Question, Uint8Array | undefined][] = [];
    channels.push({ asked, messages });
    return {
      messages,
      send(question, body) {
        if (question.say === "long") {
          return Promise.reject(new RangeError("long"));
        }
        asked.push([question, body && bytesOf(body)]);
        return Promise.resolve();
      },
      kill() {},
    };
  };
  const requests = new Requests<{ say: string }, Answer>(open, {
    ...{ what: "the keeper", most },
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  return { requests, channels };
}

Deno.test("Requests.ask() gives each question its own answer, with the bytes behind it", async () => {
  const { requests, channels } = play();
  const body = new Uint8Array([1]);
  const one = requests.ask({ say: "one" }, body);
  const two = requests.ask({ say: "two" });
  const [channel] = channels;
  assertEquals(channel?.asked, [
    [{ say: "one", ask: 1 }, body],
    [{ say: "two", ask: 2 }, undefined],
  ]);
  channel?.messages.push({ answer: 2, said: "2" });
  channel?.messages.push({ answer: 7, said: "of no question" });
  channel?.messages.push({ answer: 1, said: "1", body });
  assertEquals((await two).answer.said, "2");
  assertEquals((await one).body, body);
  assertEquals(channels.length, 1);
});

Deno.test("Requests.ask() tells the steps of its own question", async () => {
  const { requests, channels } = play();
  const steps: unknown[] = [];
  const asked = requests.ask({ say: "" }, undefined, {
    onStep: ({ said }) => steps.push(said),
  });
  channels[0]?.messages.push({ step: 1, said: "half" });
  channels[0]?.messages.push({ step: 2, said: "another's" });
  channels[0]?.messages.push({ answer: 1 });
  await asked;
  assertEquals(steps, ["half"]);
});

Deno.test("Requests.ask() sends no more questions at a time than there may be, in their order", async () => {
  const { requests, channels } = play(2);
  const all = ["1", "2", "3", "4"].map((say) => requests.ask({ say }));
  const said = () => channels[0]?.asked.map(([{ say }]) => say);
  assertEquals(said(), ["1", "2"]);
  channels[0]?.messages.push({ answer: 2 });
  await all[1];
  assertEquals(said(), ["1", "2", "3"]);
  for (const answer of [1, 3]) channels[0]?.messages.push({ answer });
  await tick();
  channels[0]?.messages.push({ answer: 4 });
  await Promise.all(all);
});

Deno.test("Requests.ask() fails if there is no answer in time, and makes room for others", async () => {
  const { requests, channels } = play(1, 20);
  await assertRejects(
    () => requests.ask({ say: "1" }),
    /DeadlineError: the keeper took more than 0\.02 s/,
  );
  const next = requests.ask({ say: "2" });
  // The late answer is to no question.
  channels[0]?.messages.push({ answer: 1, said: "late" });
  channels[0]?.messages.push({ answer: 2, said: "2" });
  assertEquals((await next).answer.said, "2");
});

Deno.test({
  name: "Requests.ask() leaves no timer of a question that was answered",
  sanitizeOps: true,
  async fn() {
    const { requests, channels } = play(1, 60_000);
    const asked = requests.ask({ say: "1" });
    channels[0]?.messages.push({ answer: 1, said: "1" });
    assertEquals((await asked).answer.said, "1");
  },
});

Deno.test("Requests.ask() fails if the process ends, and starts it anew with the next question", async () => {
  const { requests, channels } = play();
  const lost = ["1", "2"].map((say) => requests.ask({ say }));
  channels[0]?.messages.push(ENDED);
  const failed = lost.map((one) =>
    assertRejects(() => one, /LostError: the keeper has ended \(code 1\)/)
  );
  await Promise.all(failed);
  const next = requests.ask({ say: "3" });
  channels[1]?.messages.push({ answer: 3 });
  await next;
});

Deno.test("Requests.ask() asks once more, if it may, of a process that starts anew", async () => {
  const { requests, channels } = play();
  const asked = requests.ask({ say: "1" }, undefined, { again: true });
  channels[0]?.messages.push(ENDED);
  await tick();
  channels[1]?.messages.push({ answer: 2, said: "again" });
  assertEquals((await asked).answer.said, "again");
  const twice = requests.ask({ say: "3" }, undefined, { again: true });
  channels[1]?.messages.push(ENDED);
  await tick();
  channels[2]?.messages.push(REFUSED);
  await assertRejects(
    () => twice,
    /LostError: the keeper does not start: no more processes/,
  );
});

Deno.test("Requests.ask() fails for a question that is too long, alone", async () => {
  const { requests, channels } = play(1);
  await assertRejects(() => requests.ask({ say: "long" }), RangeError);
  const next = requests.ask({ say: "short" });
  channels[0]?.messages.push({ answer: 2 });
  await next;
});
