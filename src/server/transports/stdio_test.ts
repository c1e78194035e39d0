import { Share } from "../../shares.ts";
import { SERVER_SETTINGS as SETTINGS } from "../../../test/support/request.ts";
import { assertEquals, assertMatch } from "../../../deps/assert.ts";
import {
  array,
  assertProperty,
  asyncProperty,
  constantFrom,
  jsonValue,
  oneof,
  tuple,
} from "../../../deps/fast_check.ts";
import { fakePool, fakePools } from "../../../test/support/fake_pool.ts";
import { Log } from "../../protocol/log_lines.ts";
import { Queue } from "../../protocol/channel.ts";
import type { FromClient } from "../broker_line.ts";
import { serveStdio } from "./serve_stdio.ts";
import { StdioTransport } from "./stdio.ts";

/** Code that ends when its call is cancelled; all other code ends at once. */
const WAIT = "wait";
const POOL = fakePool({
  async run({ code }, { signal } = {}) {
    if (code === WAIT) {
      await new Promise((resolve) =>
        signal?.addEventListener("abort", resolve)
      );
    }
    return { status: "success", returnValue: "1", output: [] };
  },
});

interface Answer {
  id?: unknown;
  params?: { _meta?: Record<string, unknown> };
  result?: unknown;
  error?: { code: number; message: string };
}

/** The line to a client, of which the test has the other end. */
class Line {
  readonly client = new Queue<FromClient>();
  readonly nextFromClient = () => this.client.next();
  readonly log = new Log(SETTINGS, () => {});
  readonly audit = this.log;
  noteFault = () => {};
  onFault = () => Promise.resolve();
  onShutdown = () => Promise.resolve();
  spawn = (kind: string) => {
    throw new Error(`There is no ${kind}`);
  };
  readonly answers: Answer[] = [];

  sendToClient(line: string): Promise<void> {
    this.answers.push(JSON.parse(line));
    return Promise.resolve();
  }

  /** Sends a message as the client, or a line that may be none. */
  say(message: unknown): void {
    const line = typeof message === "string"
      ? message
      : JSON.stringify(message);
    this.client.push(new TextEncoder().encode(line));
  }
}

const POOLS = {
  ...fakePools(POOL),
  shares: {
    ...{ turns: new Share(1), installs: new Share(10) },
    environments: new Share(10),
  },
  environment: SETTINGS.environment,
  retrySeconds: 1,
  onInstalled() {},
};

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const FIRST = { jsonrpc: "2.0", id: "first" };
/** The first message of a client, by its era; some send none. */
const OPENINGS: Record<string, object[]> = {
  "2025-11-25": [{
    ...FIRST,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  }],
  "2026-07-28": [{
    ...FIRST,
    method: "tools/list",
    params: { _meta: ENVELOPE },
  }],
  none: [],
};

/** The id of the request that is answered; a subscription is acknowledged. */
function idOf({ id, params }: Answer): unknown {
  return id ?? params?._meta?.["io.modelcontextprotocol/subscriptionId"];
}

/** What a server answers to a client that says this, and then no more. */
async function converse(opening: object[], said: unknown[]): Promise<Answer[]> {
  const line = new Line();
  const served = serveStdio(
    line,
    POOLS,
    SETTINGS,
  );
  for (const message of [...opening, ...said]) line.say(message);
  line.client.push(null);
  await served;
  return line.answers.filter(({ id }) => id !== "first");
}

const request = (more: object) => ({ jsonrpc: "2.0", id: 7, ...more });
const ping = (more: object) => request({ method: "ping", ...more });
/** An object in objects, so many in all. */
const nested = (levels: number) =>
  `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

/** Messages that are no request, and yet have an id. */
const MALFORMED: Record<string, unknown> = {
  "another key": ping({ extra: 1 }),
  "a key that is special in JavaScript":
    '{"jsonrpc":"2.0","id":7,"method":"ping","__proto__":5}',
  "a result beside its method": ping({ result: {} }),
  "an error beside its method": ping({ error: { code: 1, message: "" } }),
  "no method": request({}),
  "a method that is no string": request({ method: 5 }),
  "a result that is no object": request({ result: 5 }),
  "both result and error": request({
    result: {},
    error: { code: 1, message: "" },
  }),
  "an error that is none": request({ error: 5 }),
  "params that fill a stack":
    `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"x","version":"1"},"capabilities":{"experimental":{"a":{"b":${deep}}}}}}`,
  "a result that fills a stack": `{"jsonrpc":"2.0","id":7,"result":${deep}}`,
  "no more than one level too much": ping({ params: JSON.parse(nested(250)) }),
  "another version": ping({ jsonrpc: "1.0" }),
  "no version": { id: 7, method: "ping" },
  "params that are null": ping({ params: null }),
  "params that are a list": ping({ params: [] }),
  "a _meta that is null": ping({ params: { _meta: null } }),
  "a _meta that is a list": ping({ params: { _meta: [] } }),
  "a progressToken that is an object": ping({
    params: { _meta: { progressToken: {} } },
  }),
  "a progressToken that is no integer": ping({
    params: { _meta: { progressToken: 1.5 } },
  }),
  "a progressToken without end": ping({
    params: { _meta: { progressToken: "x".repeat(1001) } },
  }),
  "a task that is none": ping({
    params: { _meta: { "io.modelcontextprotocol/related-task": 5 } },
  }),
};

for (const [era, opening] of Object.entries(OPENINGS)) {
  Deno.test(`a message with an id is answered, whatever is wrong with it (${era})`, async (test) => {
    for (const [name, message] of Object.entries(MALFORMED)) {
      await test.step(name, async () => {
        const answers = await converse(opening, [message]);
        assertEquals(answers.map(({ id, error }) => [id, error?.code]), [
          [7, -32600],
        ]);
      });
    }
  });
}

const NO_ID: Record<string, unknown> = {
  "a fraction": ping({ id: 1.5 }),
  "null": ping({ id: null }),
  "an object": ping({ id: {} }),
  "true": ping({ id: true }),
  "a number beyond the integers": ping({ id: 2 ** 53 }),
  "a string without end": ping({ id: "x".repeat(1001) }),
  "in a list of requests": [ping({})],
  "in a list of lists": deep,
  "of no request: an empty list": [],
  "of no request: a number": 5,
  "of no request: null": "null",
  "of a notification that is none": { jsonrpc: "2.0", method: "x", extra: 1 },
};

Deno.test("a message without a good id is answered with null in its place", async (test) => {
  for (const [name, message] of Object.entries(NO_ID)) {
    await test.step(name, async () => {
      const answers = await converse([], [message]);
      assertEquals(answers.map(({ id, error }) => [id, error?.code]), [
        [null, -32600],
      ]);
    });
  }
});

Deno.test("an id may be all that it may be", async () => {
  const ids = [0, -1, 2 ** 53 - 1, "", "__proto__", "7", 7, "x".repeat(1000)];
  const answers = await converse([], ids.map((id) => ping({ id })));
  assertEquals(answers.map(({ id }) => id), ids);
  assertEquals(answers.map(({ result }) => result), ids.map(() => ({})));
});

const WRONG_PARAMS: [string, unknown][] = [
  ["initialize", undefined],
  ["initialize", { protocolVersion: 5 }],
  ["logging/setLevel", undefined],
  ["logging/setLevel", { level: "bad" }],
  ["tools/list", { cursor: 5 }],
  ["tools/call", undefined],
  ["tools/call", { name: 5 }],
  ["tools/call", { name: "run_python_code", arguments: 5 }],
  ["tools/call", { name: "x".repeat(10_000) }],
  ["tools/call", { name: "run_python_code", arguments: [] }],
  ["resources/list", { cursor: {} }],
  ["resources/templates/list", { cursor: {} }],
  ["resources/read", undefined],
  ["resources/read", { uri: 5 }],
];

for (const [era, opening] of Object.entries(OPENINGS)) {
  Deno.test(`params that a method does not take are -32602 (${era})`, async () => {
    const _meta = era === "2026-07-28" ? { _meta: ENVELOPE } : {};
    for (const [method, params] of WRONG_PARAMS) {
      const message = request({
        method,
        params: { ...Object(params), ..._meta },
      });
      const [answer] = await converse(opening, [message]);
      assertEquals([answer?.id, answer?.error?.code], [7, -32602], method);
      assertMatch(String(answer?.error?.message), /^[^{]{1,500}$/s, method);
    }
  });
}

const call = (id: unknown) =>
  request({
    ...{ id, method: "tools/call" },
    params: { name: "run_python_code", arguments: { python_code: WAIT } },
  });

Deno.test("a request whose id waits for another answer is refused", async () => {
  const answers = await converse([], [
    ...[call(1), ping({ id: 1 }), ping({ id: "1" })],
    {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1 },
    },
    ping({ id: 1 }),
  ]);
  assertEquals(answers.map(({ id, error }) => [id, error?.code]), [
    ...[[1, -32600], ["1", undefined], [1, undefined]],
  ]);
});

Deno.test("what asks for nothing is answered by nothing", async () => {
  for (const opening of Object.values(OPENINGS)) {
    const answers = await converse(opening, [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/unheard/of", params: { a: 1 } },
      {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 9 },
      },
      { jsonrpc: "2.0", method: "ping" },
      { jsonrpc: "2.0", id: 8, result: {} },
      { jsonrpc: "2.0", id: 8, error: { code: 1, message: "" } },
    ]);
    assertEquals(answers, []);
  }
});

Deno.test("each request of many random ones is answered once", async () => {
  const methods = constantFrom(
    ...["ping", "initialize", "tools/list", "tools/call", "resources/read"],
    ...[
      "logging/setLevel",
      "server/discover",
      "subscriptions/listen",
      "tasks/get",
    ],
    ...["notifications/cancelled", "toString", "__proto__", "", 5, undefined],
  );
  const meta = oneof(
    jsonValue(),
    constantFrom(ENVELOPE, { ...ENVELOPE, progressToken: 1 }, {
      ...ENVELOPE,
      "io.modelcontextprotocol/protocolVersion": "2099-01-01",
    }),
  );
  const params = oneof(
    jsonValue(),
    meta.map((_meta) => ({ _meta })),
    meta.map((_meta) => ({
      ...{ _meta, name: "run_python_code", notifications: {} },
      arguments: { python_code: "1" },
    })),
  );
  const more = oneof(jsonValue(), constantFrom({}, {}, {}));
  const message = tuple(methods, params, more).map((
    [method, params, more],
  ) => ({
    ...Object(more),
    ...{ jsonrpc: "2.0", method, params },
  }));
  await assertProperty(
    asyncProperty(
      constantFrom(...Object.values(OPENINGS)),
      array(message, { maxLength: 20 }),
      async (opening, messages) => {
        const said = messages.map((message, id) => ({ ...message, id }));
        const answers = await converse(opening, said);
        for (const { id, method, params } of said) {
          const found = answers.filter((answer) => idOf(answer) === id);
          assertEquals(found.length, 1, JSON.stringify({ id, method, params }));
        }
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("the answer to a request with a long text in it is short", async () => {
  const long = '"'.repeat(2 ** 24);
  const version = "io.modelcontextprotocol/protocolVersion";
  const answers = await converse([], [
    ping({ params: { _meta: { ...ENVELOPE, [version]: long } } }),
    ping({ id: 8 }),
  ]);
  assertEquals(answers.map(({ id, error }) => [id, error?.code]), [
    [7, -32603],
    [8, undefined],
  ]);
  assertMatch(
    String(answers[0]?.error?.message),
    /^Cannot send an answer of 671\d{5} bytes as it may have 67108864: ask/,
  );
});

Deno.test("a request that is never answered keeps nothing after the client's end", async () => {
  for (const requests of [[ping({})], [call(1)], [call(1), ping({})]]) {
    const line = new Line();
    const ended = Promise.withResolvers<void>();
    const times = { answersMs: 1, callsMs: 1 };
    // No server takes what it reads.
    const transport = new StdioTransport(line, ended.resolve, times);
    for (const request of requests) line.say(request);
    line.client.push(null);
    await transport.start();
    await ended.promise;
  }
});

Deno.test("what takes no time is answered after the client's end, and then calls have their time", async () => {
  const line = new Line();
  const times = { answersMs: 60_000, callsMs: 60_000 };
  const ended = Promise.withResolvers<void>();
  const transport = new StdioTransport(line, ended.resolve, times);
  const answer = (id: number) =>
    transport.send({ jsonrpc: "2.0", id, result: {} });
  for (const said of [call(1), call(2), ping({ id: 3 })]) line.say(said);
  line.client.push(null);
  let isOver = false;
  ended.promise.then(() => isOver = true);
  await transport.start();
  for (const id of [1, 3, 2]) {
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(isOver, false);
    await answer(id);
  }
  await ended.promise;
});

Deno.test("what takes no time has more time before calls have theirs", async () => {
  const line = new Line();
  const ended = Promise.withResolvers<string>();
  const over = () => ended.resolve("it is over");
  const times = { answersMs: 60_000, callsMs: 1 };
  const transport = new StdioTransport(line, over, times);
  for (const said of [call(1), ping({ id: 2 })]) line.say(said);
  line.client.push(null);
  await transport.start();
  const later = new Promise((resolve) => setTimeout(resolve, 20, "it waits"));
  assertEquals(await Promise.race([ended.promise, later]), "it waits");
  await transport.send({ jsonrpc: "2.0", id: 2, result: {} });
  await ended.promise;
});

Deno.test("a subscription needs no more than to be acknowledged before the end", async () => {
  const line = new Line();
  const times = { answersMs: 60_000, callsMs: 60_000 };
  const ended = Promise.withResolvers<string>();
  const transport = new StdioTransport(
    line,
    () => ended.resolve("it is over"),
    times,
  );
  line.say(request({ method: "subscriptions/listen", params: {} }));
  line.client.push(null);
  await transport.start();
  const later = () =>
    new Promise((resolve) => setTimeout(resolve, 0, "it waits"));
  assertEquals(await Promise.race([ended.promise, later()]), "it waits");
  const _meta = { "io.modelcontextprotocol/subscriptionId": 7 };
  const method = "notifications/subscriptions/acknowledged";
  await transport.send({ jsonrpc: "2.0", method, params: { _meta } });
  assertEquals(await Promise.race([ended.promise, later()]), "it is over");
});

Deno.test("a client that reads nothing keeps nothing after its end", async () => {
  const line = new Line();
  line.sendToClient = () => new Promise(() => {});
  for (const message of ["no JSON", ping({})]) line.say(message);
  line.client.push(null);
  await serveStdio(
    line,
    POOLS,
    SETTINGS,
  );
});
