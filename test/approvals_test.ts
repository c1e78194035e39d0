/**
 * The user's approval of calls, through the official client of both eras and over
 * both transports; the Python of these runs is a list of calls.
 *
 * @module
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
} from "../deps/assert.ts";
import { Client } from "../deps/mcp_client.ts";
import { fields } from "../src/protocol/fields.ts";
import { Queue } from "../src/protocol/channel.ts";
import {
  type ApprovingHost,
  openApprovingHost,
  type Step,
} from "./support/approving_host.ts";
import { type Era, ERAS } from "./support/client.ts";

const VIAS = ["stdio", "http"] as const;
const EACH = ERAS.flatMap((era) => VIAS.map((via) => ({ era, via })));
const HANGING = { timeout: 900_000 };
/** Time for an answer that does not come; a question is asked within it. */
const LATE_MS = 2000;
const YES = { action: "accept", content: {} };
const ALWAYS = { action: "accept", content: { remember: true } };
const NO = { action: "decline" };

type Given = Record<string, unknown>;

interface Asked {
  message: string;
  answer(given: Given): void;
}

interface ApprovingClient extends AsyncDisposable {
  client: Client;
  /** Questions that the client's user has not answered. */
  asked: Queue<Asked>;
  /** Requests that the client has sent. */
  sent: string[];
  /** The end of each call of each step. */
  run(...steps: Step[]): Promise<string[][]>;
}

/** @param answers Those of the user; without them, the test answers. */
async function connect(
  host: ApprovingHost,
  era: Era,
  { answers, capabilities = { elicitation: { form: {} } }, caller, rounds }: {
    answers?: Given[];
    capabilities?: object;
    caller?: string;
    /** Whether the test itself carries on a call. */
    rounds?: "manual";
  } = {},
): Promise<ApprovingClient> {
  const client = new Client({ name: "test", version: "1" }, {
    capabilities,
    inputRequired: { autoFulfill: rounds !== "manual" },
    versionNegotiation: {
      mode: era === "2025-11-25" ? "legacy" : { pin: era },
    },
  });
  const asked = new Queue<Asked>();
  if ("elicitation" in capabilities) {
    client.setRequestHandler(
      "elicitation/create",
      ({ params: { message } }) => {
        const answer = answers?.shift();
        if (answer) return answer as never;
        return new Promise<never>((resolve) =>
          asked.push({ message, answer: (given) => resolve(given as never) })
        );
      },
    );
  }
  const transport = await host.connect(caller);
  const sent: string[] = [];
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message) sent.push(message.method);
    return send(message, options);
  };
  await client.connect(transport, HANGING);
  return {
    ...{ client, asked, sent },
    async run(...steps) {
      const { content } = await client.callTool(toCall(steps), HANGING);
      return JSON.parse(textOf(content)).returnValue;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function toCall(steps: Step[]) {
  const code = JSON.stringify(steps);
  return { name: "run_python", arguments: { code, servers: ["files"] } };
}

function textOf(content: unknown): string {
  const [block] = Array.isArray(content) ? content : [];
  return String(fields(block).text);
}

/** A request of a call that the test carries on itself. */
async function round(
  { client }: ApprovingClient,
  steps: Step[],
  more: Given = {},
  signal?: AbortSignal,
): Promise<Given & { keys: string[]; requestState: string }> {
  const params = { ...toCall(steps), ...more };
  const answer = fields(
    await client.request({ method: "tools/call", params }, {
      ...{ ...HANGING, allowInputRequired: true },
      ...(signal ? { signal } : {}),
    }),
  );
  return {
    ...answer,
    keys: Object.keys(fields(answer.inputRequests)),
    requestState: String(answer.requestState),
  };
}

function answerAll(keys: string[], given: Given): Given {
  return Object.fromEntries(keys.map((key) => [key, given]));
}

/** Waits for a state that no event tells of. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
}

const DELETE: Step = [{ tool: "delete", args: { path: "/a" } }];

for (const { era, via } of EACH) {
  const name = `approvals (${era}, ${via})`;

  Deno.test(`${name}: the user sees server, tool and arguments, and accepts or declines a call`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era);
    const ends = client.run([{ tool: "read" }], DELETE, DELETE, DELETE);
    const answers = [YES, NO, { action: "cancel" }];
    for (const given of answers) {
      const { message, answer } = await client.asked.next();
      assertMatch(message, /server: "files"\n +tool: "delete"/);
      assertMatch(message, /"path": "\/a"/);
      answer(given);
    }
    const [read, yes, no, cancelled] = await ends;
    assertEquals([read, yes], [["read"], ["deleted"]]);
    assertMatch(no?.[0] ?? "", /has not approved it/);
    assertMatch(cancelled?.[0] ?? "", /has not approved it/);
    assertEquals(host.hub.called.length, 2);
    assertEquals(host.lasting.size, 0);
  });

  Deno.test(`${name}: an answer for the session is for that tool, and for later calls of the client`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, { answers: [ALWAYS, YES] });
    const ends = await client.run(DELETE, DELETE, [{ tool: "move" }]);
    assertEquals(ends, [["deleted"], ["deleted"], ["moved"]]);
    assertEquals(await client.run(DELETE), [["deleted"]]);
    const last = client.run([{ tool: "move" }]);
    (await client.asked.next()).answer(YES);
    assertEquals(await last, [["moved"]]);
  });

  Deno.test(`${name}: many calls at once are all asked about, and their answers do not cross`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era);
    const step = [1, 2, 3].map((number) => ({
      tool: "delete",
      args: { number },
    }));
    const ends = client.run(step);
    for (const _ of step) {
      const { message, answer } = await client.asked.next();
      answer(message.includes('"number": 2') ? NO : YES);
    }
    const [[one, two, three] = []] = await ends;
    assertEquals([one, three], ["deleted", "deleted"]);
    assertMatch(two ?? "", /has not approved it/);
    const calls = client.sent.filter((method) => method === "tools/call");
    assertEquals(calls.length, era === "2026-07-28" ? 2 : 1);
  });

  Deno.test(`${name}: a client that cannot ask is told the option that lifts it, and other calls work`, async () => {
    await using host = await openApprovingHost(via);
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      await using client = await connect(host, era, { capabilities });
      const [[read, refused] = []] = await client.run([
        { tool: "read" },
        { tool: "delete" },
      ]);
      assertEquals(read, "read");
      assertMatch(refused ?? "", /client cannot ask.*--approve none/);
    }
    assertEquals(host.hub.called.length, 2);
  });

  Deno.test(`${name}: the audit tells the questions, the answers and the calls, with the run and its client`, async () => {
    await using host = await openApprovingHost(via);
    const answers = [YES, NO];
    await using client = await connect(host, era, { answers });
    await client.run([{ tool: "read" }], DELETE, DELETE);
    const told = host.lines.map(({ event, tool, outcome, answer }) => [
      ...[event, tool, outcome ?? answer].filter(Boolean),
    ]);
    assertEquals(told, [
      ["call", "read", "ok"],
      ["approval", "delete", "accepted"],
      ["call", "delete", "ok"],
      ["approval", "delete", "declined"],
      ["call", "delete", "declined"],
      ["run"],
    ]);
    const origins = host.lines.map(({ id, client, caller }) =>
      JSON.stringify([id, client, caller])
    );
    assertEquals(new Set(origins).size, 1);
    assertMatch(origins[0] ?? "", /^\["\w+-1","test",(null|"ada")\]$/);
    const { servers, calls } = host.lines.at(-1) ?? {};
    assertEquals([servers, calls], [["files"], 3]);
    assert(!JSON.stringify(host.lines).includes("/a"));
  });

  Deno.test(`${name}: a run that outlives its call asks by the request that waits for it`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era);
    const call = toCall([[{ tool: "wait" }], DELETE, DELETE]);
    const begun = await client.client.callTool({
      ...call,
      arguments: { ...call.arguments, wait: 0 },
    }, HANGING);
    const { status, run } = fields(begun.structuredContent);
    assertEquals(status, "running");
    const ended = client.client.callTool(
      { name: "get_run", arguments: { run, wait: 600 } },
      HANGING,
    );
    host.open();
    for (const given of [YES, NO]) (await client.asked.next()).answer(given);
    const { content } = await ended;
    const { returnValue: [, [yes], [no]] } = JSON.parse(textOf(content));
    assertEquals(yes, "deleted");
    assertMatch(no, /has not approved it/);
  });

  Deno.test(`${name}: the server's end ends a run that waits for the user`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era);
    const ends = client.run(DELETE);
    const { answer } = await client.asked.next();
    host.end();
    await until(() => host.runs.cancelled === 1);
    answer(YES);
    await ends.catch(() => {});
    assertEquals(host.hub.called, []);
  });
}

for (const via of VIAS) {
  const name = `approvals in rounds (${via})`;
  const manual = { rounds: "manual" } as const;
  const era = "2026-07-28";

  Deno.test(`${name}: a request that is repeated gets the same answer, and the first answers count`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    const steps = [DELETE, DELETE];
    const first = await round(client, steps);
    const { requestState } = first;
    const go = (given: Given) =>
      round(client, steps, {
        requestState,
        inputResponses: answerAll(first.keys, given),
      });
    const [second, again] = await Promise.all([go(YES), go(YES)]);
    assertEquals(second.requestState, again.requestState);
    assertEquals((await go(NO)).requestState, second.requestState);
    assertEquals(host.hub.called.length, 1);
    const more = {
      requestState: second.requestState,
      inputResponses: answerAll(second.keys, NO),
    };
    const last = await round(client, steps, more);
    assertMatch(textOf(last.content), /deleted.*has not approved it/);
    // Its result is fetched, and the rounds before it have passed.
    await assertRejects(go(YES), /has ended/);
    await assertRejects(round(client, steps, more), /has ended/);
    assertEquals([host.hub.called.length, host.lasting.size], [1, 0]);
  });

  Deno.test(`${name}: a round that has passed is refused while the call waits`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    const steps = [DELETE, DELETE, DELETE];
    const states: Given[] = [];
    let { requestState, keys } = await round(client, steps);
    for (let at = 0; at < 2; at++) {
      const inputResponses = answerAll(keys, YES);
      states.push({ requestState, inputResponses });
      ({ requestState, keys } = await round(client, steps, states[at]));
    }
    await assertRejects(round(client, steps, states[0]), /has been answered/);
    const inputResponses = answerAll(keys, YES);
    const last = await round(client, steps, { requestState, inputResponses });
    assertMatch(textOf(last.content), /deleted.*deleted.*deleted/);
  });

  Deno.test(`${name}: answers that are missing, of another form or of other questions are no approval`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    const bad = [{}, { other: YES }, { "approval-1": "accept" }];
    for (const inputResponses of bad) {
      const { requestState } = await round(client, [DELETE]);
      const more = { requestState, inputResponses };
      const { content } = await round(client, [DELETE], more)
        .catch(() => ({ content: [{ text: "has not approved it" }] }));
      assertMatch(textOf(content), /has not approved it/);
    }
    assertEquals(host.hub.called, []);
  });

  Deno.test(`${name}: a client that never comes back declines by the time, and its result is dropped`, async () => {
    await using host = await openApprovingHost(via, {
      ...{ approvalMs: LATE_MS, keptMs: 5 },
    });
    await using client = await connect(host, era, manual);
    const { requestState } = await round(client, [DELETE]);
    await until(() => host.runs.underWay === 0 && host.lasting.size === 0);
    assertEquals(host.lines.map(({ answer }) => answer)[0], "no answer");
    assertEquals([host.hub.called.length, host.runs.cancelled], [0, 0]);
    await assertRejects(
      round(client, [DELETE], { requestState }),
      /has ended/,
    );
  });

  Deno.test(`${name}: a client that comes back late gets the result`, async () => {
    await using host = await openApprovingHost(via, { approvalMs: LATE_MS });
    await using client = await connect(host, era, manual);
    const { requestState, keys } = await round(client, [DELETE]);
    await until(() => host.runs.underWay === 0);
    const inputResponses = answerAll(keys, YES);
    const last = await round(client, [DELETE], {
      requestState,
      inputResponses,
    });
    assertMatch(
      textOf(last.content),
      new RegExp(`not answered within ${LATE_MS / 1000} s`),
    );
    assertEquals([host.hub.called.length, host.lasting.size], [0, 0]);
  });

  Deno.test(`${name}: a client that gives up the request that waits ends the run`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    await round(client, [DELETE]);
    const steps: Step[] = [DELETE, [{ tool: "hang" }]];
    const abort = new AbortController();
    const { requestState, keys } = await round(client, steps);
    const more = { requestState, inputResponses: answerAll(keys, YES) };
    const hanging = round(client, steps, more, abort.signal);
    await until(() => host.hub.called.length === 2);
    abort.abort();
    await hanging.catch(() => {});
    await until(() => host.runs.cancelled === 1);
    // The other call waits on.
    assertEquals(host.runs.underWay, 1);
    host.end();
    await until(() => host.runs.underWay === 0);
  });

  Deno.test(`${name}: a state that is changed, or another's, is refused, and its call waits on`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    const { requestState, keys } = await round(client, [DELETE]);
    const inputResponses = answerAll(keys, YES);
    const refuse = (requestState: string, by = client) =>
      assertRejects(
        round(by, [DELETE], { requestState, inputResponses }),
        /Invalid or expired requestState/,
      );
    const [version, body = "", mac = ""] = requestState.split(".");
    const payload = JSON.parse(
      atob(body.replaceAll("-", "+").replaceAll("_", "/")),
    );
    const forged = btoa(
      JSON.stringify({ ...payload, p: { ...payload.p, round: 2 } }),
    );
    for (
      const state of [
        ...["", "x", `${version}.${forged}.${mac}`, `${version}.${body}.`],
        `${version}.${body}.${mac.slice(0, -2)}AA`,
      ]
    ) await refuse(state);
    if (via === "http") {
      await using thief = await connect(host, era, {
        ...manual,
        caller: "eve",
      });
      await refuse(requestState, thief);
    }
    assertEquals(host.hub.called, []);
    const last = await round(client, [DELETE], {
      requestState,
      inputResponses,
    });
    assertMatch(textOf(last.content), /deleted/);
  });

  Deno.test(`${name}: few calls of a client wait at a time, and a further one is told so`, async () => {
    await using host = await openApprovingHost(via);
    await using client = await connect(host, era, manual);
    for (let count = 0; count < 8; count++) await round(client, [DELETE]);
    const more = await round(client, [DELETE]);
    assertMatch(textOf(more.content), /as 8 calls of this client wait/);
    host.end();
    await until(() => host.runs.underWay === 0);
  });
}
