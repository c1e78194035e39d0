import { assert, assertEquals, assertRejects } from "../../../deps/assert.ts";
import { Approvals, type Asking } from "./approvals.ts";

const OWNER = { name: "ada", connection: "one" };
const QUESTION = {
  ...{ server: "files", revision: "1", tool: "delete" },
  arguments: '{"a":1}',
};
const YES = { action: "accept", content: {} };
const ALWAYS = { action: "accept", content: { remember: true } };
const { signal } = new AbortController();

/** Approvals with a client that answers by a script. */
function openWith(
  answers: unknown[],
  { owner = OWNER, approvals = new Approvals(), atATime = 1 }: {
    owner?: { name: string; connection: string | undefined };
    approvals?: Approvals;
    atATime?: number;
  } = {},
) {
  const asked: string[] = [];
  const lines: unknown[] = [];
  const asking: Asking = {
    atATime,
    ask(form) {
      asked.push(Object.keys(form.requestedSchema.properties).join());
      const answer = answers.shift();
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve(answer);
    },
  };
  const approve = approvals.open(owner, asking, (event, facts) => {
    const { ms, ...rest } = facts;
    assert(Number(ms) >= 0);
    lines.push([event, rest.answer]);
  });
  return { approvals, approve, asked, lines };
}

Deno.test("Approvals ask each time, and audit the answers", async () => {
  const { approve, asked, lines } = openWith([YES, { action: "decline" }, YES]);
  assertEquals(await approve(QUESTION, signal), "accepted");
  assertEquals(await approve(QUESTION, signal), "declined");
  assertEquals(await approve(QUESTION, signal), "accepted");
  assertEquals(asked.length, 3);
  assertEquals(lines, [
    ["approval", "accepted"],
    ["approval", "declined"],
    ["approval", "accepted"],
  ]);
});

Deno.test("Approvals ask no more questions of a run once the user has declined ten", async () => {
  const declined = Array(10).fill({ action: "decline" });
  const { approvals, approve, asked, lines } = openWith([...declined, YES]);
  for (let left = 12; left > 0; left--) {
    assertEquals(await approve(QUESTION, signal), "declined");
  }
  assertEquals(asked.length, 10);
  assertEquals(lines.slice(-2), Array(2).fill(["approval", "not asked"]));
  const next = openWith([YES], { approvals });
  assertEquals(await next.approve(QUESTION, signal), "accepted");
});

Deno.test("Approvals keep a tool that is allowed for the session: for that tool, server and connection only", async () => {
  const { approvals, approve, lines, asked } = openWith([
    ALWAYS,
    YES,
    YES,
    YES,
  ]);
  await approve(QUESTION, signal);
  assertEquals(
    await approve({ ...QUESTION, arguments: '{"a":2}' }, signal),
    "accepted",
  );
  assertEquals(asked.length, 1);
  assertEquals(lines, [
    ["approval", "accepted for the session"],
    ["approval", "accepted before"],
  ]);
  await approve({ ...QUESTION, tool: "move" }, signal);
  await approve({ ...QUESTION, server: "git" }, signal);
  await approve({ ...QUESTION, revision: "2" }, signal);
  assertEquals(asked.length, 4);
  for (
    const owner of [{ name: "ada", connection: "two" }, {
      name: "eve",
      connection: "one",
    }, { name: "ada", connection: undefined }]
  ) {
    const other = openWith([YES], { approvals, owner });
    await other.approve(QUESTION, signal);
    assertEquals(other.asked.length, 1, JSON.stringify(owner));
  }
});

Deno.test("Approvals remember nothing for clients that are not told apart, and do not offer it", async () => {
  const owner = { name: "local", connection: undefined };
  const { approve, asked } = openWith([ALWAYS, YES], { owner });
  await approve(QUESTION, signal);
  await approve(QUESTION, signal);
  assertEquals(asked, ["", ""]);
});

Deno.test("Approvals forget the tools of a connection that is not used for an hour", async () => {
  let now = 0;
  const approvals = new Approvals(() => now);
  const { approve, asked } = openWith([ALWAYS, YES], { approvals });
  await approve(QUESTION, signal);
  now += 3_599_000;
  await approve(QUESTION, signal);
  now += 3_599_000;
  await approve(QUESTION, signal);
  assertEquals(asked.length, 1);
  now += 3_601_000;
  await approve(QUESTION, signal);
  assertEquals(asked.length, 2);
});

Deno.test("Approvals of a client that cannot ask are unable", async () => {
  const lines: unknown[] = [];
  const approve = new Approvals().open(
    OWNER,
    undefined,
    (_, { answer }) => lines.push(answer),
  );
  assertEquals(await approve(QUESTION, signal), "unable");
  assertEquals(lines, ["unable"]);
});

Deno.test("Approvals that wait for their turn need no question if the one before allows their tool", async () => {
  const { approve, asked } = openWith([ALWAYS]);
  const all = Array.from({ length: 50 }, () => approve(QUESTION, signal));
  assertEquals(new Set(await Promise.all(all)), new Set(["accepted"]));
  assertEquals(asked.length, 1);
});

Deno.test("Approvals leave a question that is not wanted any more, and ask the next", async () => {
  const held: (() => void)[] = [];
  const asking: Asking = {
    atATime: 1,
    ask: (_, signal) =>
      new Promise((resolve, reject) => {
        held.push(() => resolve(YES));
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  const lines: unknown[] = [];
  const approve = new Approvals().open(
    OWNER,
    asking,
    (_, { answer }) => lines.push(answer),
  );
  const late = new AbortController();
  const first = approve(QUESTION, late.signal);
  const second = approve(QUESTION, signal);
  await Promise.resolve();
  late.abort(new RangeError("late"));
  await assertRejects(first, RangeError);
  while (held.length < 2) await new Promise((resolve) => setTimeout(resolve));
  held[1]?.();
  assertEquals(await second, "accepted");
  assertEquals(lines, ["no answer", "accepted"]);
});
